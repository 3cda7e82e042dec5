"""A driver for Fencepost in Python: protocol `fencepost-driver/1`, no dependencies, Python 3.9 or later.

Write each operation as a generator that yields the name of every park at which it waits, as in

    def poll(operation, call):
        yield "request:" + operation        # on its way to the broker
        yield "arrival:" + operation        # on its way to the owner
        reply = broker.poll(call)
        yield "reply:" + operation          # on its way back
        return reply                        # the client has it

`yield` gives back how the runner lets the work go on: `proceed`, `fail` or `time-out`. `Parks` moves the generators; `serve` speaks.
"""

import json
import sys

PROTOCOL = "fencepost-driver/1"
MOST_LINE_BYTES = 1 << 20

# The order of this list is the order of parks, and after it the name decides.
PARK_KINDS = (
    "request gather gathered propose arrival open complete wait reply apply commit purge finish-purge "
    "report-drained drained applied gateway-time-out revocation-time-out inner"
).split()
FIELDS = (
    "status start_offset next_offset messages bookmarks bookmark_files last_polled purge_generation incarnation "
    "group_generation partition_owner mirrored_owner prepared queued unsynced parked"
).split()

# Keys of the questions: those that have to be there, and those that may be.
QUESTIONS = {
    "hello": ("protocol", ""), "reset": ("world", ""), "start": ("operation call", "observe"),
    "resume": ("park", "answer observe"), "cancel": ("operation", "observe"), "crash": ("crash", ""),
    "restart": ("", "observe"), "parked": ("", ""), "observe": ("fields", ""), "bye": ("", ""),
}
CALLS = {
    "poll": "consumer start count automatic_commit may_wait", "store": "consumer offset", "delete": "consumer",
    "send": "payloads", "empty": "", "recreate": "", "join": "consumer", "leave": "consumer", "disconnect": "consumer",
    "expire": "count",
}
STARTS = {"next": "", "first": "", "last": "", "offset": "offset"}
CRASHES = {"process": "", "power": "keep"}
WORLD = (
    "settings clients members partitions messages bookmarks queue_slots read_slots is_resident purges_in_steps "
    "loses_power holds_inner_steps"
)


class Malformed(Exception):
    """The line is no question."""


class OutOfOrder(Exception):
    """The question makes no sense now; nothing happened."""


class Refused(Exception):
    """The implementation will not do this step."""


class Unsupported(Exception):
    """The driver has no way to do this step."""


def park_order(park):
    kind, _, name = park.partition(":")
    return PARK_KINDS.index(kind), name


class Parks:
    """Operations, each at its park."""

    def __init__(self):
        self.waiting, self.cancelled = {}, set()

    def start(self, operation, generator):
        """Runs a new operation up to its first park."""
        return self._run(operation, generator, None)

    def resume(self, park, answer="proceed"):
        """Lets the work at a park make one step."""
        if park not in self.waiting:
            raise Refused("nothing waits at " + park)
        return self._run(*self.waiting.pop(park), answer)

    def cancel(self, operation):
        """The caller gives up: the answer will be dropped when it comes."""
        self.cancelled.add(operation)

    def list(self):
        return sorted(self.waiting, key=park_order)

    def _run(self, operation, generator, answer):
        try:
            self.waiting[generator.send(answer)] = (operation, generator)
        except StopIteration as end:
            if end.value is not None and operation not in self.cancelled:
                return {"type": "done", "reply": end.value}
        return {"type": "parked"}


def serve(driver):
    """Serves until `bye` or the end of the input. Whatever else prints goes to standard error."""
    output, sys.stdout = sys.stdout, sys.stderr
    greeted = False
    for line in sys.stdin.buffer:
        number, last = None, not greeted
        try:
            question = understand(line)
            number = question["id"]
            if (question["type"] == "hello") == greeted:
                raise OutOfOrder("there is one hello, and it comes first")
            greeted, last = True, question["type"] == "bye"
            answer = reply_to(driver, question)
        except Malformed as error:
            answer = failure("malformed", error, True)
        except OutOfOrder as error:
            answer = failure("out-of-order", error, True)
        except Refused as error:
            answer = {"type": "refused", "reason": str(error)}
        except Unsupported as error:
            answer = {"type": "unsupported", "reason": str(error)}
        except Exception as error:  # Whatever fails in the driver is told; the runner ends the run.
            answer = failure("failed", repr(error), False)
        if number is not None:
            answer["in_reply_to"] = number
        output.write(json.dumps(answer, separators=(",", ":")) + "\n")
        output.flush()
        if last:
            return


def failure(code, text, definite):
    return {"type": "error", "code": code, "text": str(text), "definite": definite}


def reply_to(driver, question):
    kind = question["type"]
    if kind == "hello":
        return {"type": "ready", "protocol": PROTOCOL, **driver.capabilities()}
    if kind == "bye":
        return {"type": "done"}
    if kind == "parked":
        return {"type": "parked", "parked": driver.parked()}
    if kind == "observe":
        return {"type": "observation", "state": looked(driver, question["fields"])}
    if kind == "reset":
        driver.reset(question["world"])
        return {"type": "done"}
    if kind == "crash":
        driver.crash(question["crash"])
        return {"type": "done"}
    answer = step(driver, kind, question) or {"type": "parked"}
    if question.get("observe"):
        answer["observation"] = looked(driver, question["observe"])
    return answer


def step(driver, kind, question):
    if kind == "start":
        return driver.start(question["operation"], question["call"])
    if kind == "resume":
        return driver.resume(question["park"], question.get("answer", "proceed"))
    if kind == "cancel":
        return driver.cancel(question["operation"])
    return driver.restart()


def looked(driver, fields):
    state = driver.observe()
    return {field: state[field] for field in fields if field in state}


def understand(line):
    if not line.endswith(b"\n") or len(line) > MOST_LINE_BYTES:
        raise Malformed("a line is cut, or too long")
    try:
        question = json.loads(line)
        required, optional = QUESTIONS[question["type"]]
        has_keys(question, "type id " + required, optional)
        if type(question["id"]) is not int:
            raise Malformed("the id is no number")
        if question["type"] == "hello" and question["protocol"] != PROTOCOL:
            raise Malformed("this driver speaks " + PROTOCOL)
        if question["type"] == "start":
            is_call(question["call"])
        if question["type"] == "crash":
            has_keys(question["crash"], "kind " + CRASHES[question["crash"]["kind"]])
        if question["type"] == "reset":
            has_keys(question["world"], WORLD, "prepare_slots")
        if question["type"] == "resume":
            is_one_of(question["park"].partition(":")[0], PARK_KINDS)
            is_one_of(question.get("answer", "proceed"), ("proceed", "fail", "time-out"))
        for field in question.get("fields", question.get("observe", ())):
            is_one_of(field, FIELDS)
        return question
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Malformed(repr(error)) from error


def is_call(call):
    has_keys(call, "kind " + CALLS[call["kind"]], "batch_of" if call["kind"] == "store" else "")
    if call["kind"] == "poll":
        has_keys(call["start"], "from " + STARTS[call["start"]["from"]])


def has_keys(value, required, optional=""):
    keys, required = set(value), set(required.split())
    if required - keys or keys - required - set(optional.split()):
        raise Malformed("the keys are {}, and should be {}".format(sorted(keys), sorted(required)))


def is_one_of(word, words):
    if word not in words:
        raise Malformed("unknown word: {!r}".format(word))
