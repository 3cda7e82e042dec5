"""The toy driver of the Python kit with one fault, named by the first argument."""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../conformance/driver/kits/python"))

import fencepost_driver as kit  # noqa: E402
from toy import Toy  # noqa: E402

FAULT = sys.argv[1]


class Misbehaving(Toy):
    resets = looks = stores = 0

    def capabilities(self):
        it = super().capabilities()
        if FAULT == "declares-too-much":
            it["calls"] = it["calls"] + ["delete"]
        if FAULT == "declares-unknown-call":
            it["calls"] = it["calls"] + ["sing"]
        if FAULT == "declares-unseen-field":
            it["observables"] = it["observables"] + ["queued"]
        if FAULT == "declares-crash":
            it["crashes"] = ["process"]
        return it

    def reset(self, world):
        old = getattr(self, "bookmarks", {})
        super().reset(world)
        self.resets += 1
        if FAULT == "forgets-to-reset":
            self.bookmarks.update(old)

    def observe(self):
        self.looks += 1
        state = super().observe()
        if FAULT == "looks-change":
            state["next_offset"] += self.looks
        if FAULT == "looks-move-bookmark":
            state["bookmarks"] = dict(self.bookmarks)
            self.bookmarks["B"] = 0
        return state

    def poll(self, call):
        reply = super().poll(call)
        if FAULT == "wrong-payload" and reply["kind"] == "batch":
            reply["messages"] = [(offset, payload + "?") for offset, payload in reply["messages"]]
        if FAULT == "nondeterministic" and self.resets % 3 == 0:
            return {"kind": "empty"}
        return reply

    def store(self, call):
        self.stores += 1
        if FAULT == "forgets-second-store" and self.stores % 2 == 0:
            return {"kind": "acknowledged"}
        return super().store(call)

    def resume(self, park, answer):
        if park.startswith("arrival:"):
            if FAULT == "dies":
                print("cannot go on", file=sys.stderr, flush=True)
                os._exit(3)
            if FAULT == "hangs":
                time.sleep(1000)
        if FAULT == "answers-slowly":
            time.sleep(0.005)
        if FAULT == "accepts-unknown-park" and park not in self.parks.waiting:
            return None
        return super().resume(park, answer)

    def parked(self):
        parks = super().parked()
        if FAULT == "unsorted":
            return parks[::-1]
        if FAULT == "lists-what-does-not-wait" and parks:
            return parks + ["reply:zz.1"]
        return parks


class Output:
    """Standard output with a fault."""

    def __init__(self, output):
        self.output, self.lines = output, 0

    def write(self, line):
        self.lines += 1
        if FAULT == "chatters" and self.lines == 12:
            self.output.write("connected to the broker\n")
        if FAULT == "answers-out-of-order" and self.lines == 12:
            answer = kit.json.loads(line)
            line = kit.json.dumps({**answer, "in_reply_to": answer["in_reply_to"] + 1}) + "\n"
        self.output.write(line)

    def flush(self):
        self.output.flush()


def understand_all(line):
    """Takes whatever there is."""
    try:
        return strict(line)
    except kit.Malformed:
        question = kit.json.loads(line)
        return question if question["type"] in kit.QUESTIONS else {"type": "parked", "id": question["id"]}


if __name__ == "__main__":
    strict = kit.understand
    if FAULT == "lax":
        kit.understand = understand_all
    if FAULT == "other-version":
        kit.PROTOCOL = "fencepost-driver/2"
        kit.understand = kit.json.loads
    sys.stdout = Output(sys.stdout)
    kit.serve(Misbehaving())
    if FAULT == "leaves-process":
        subprocess.Popen(["sleep", "1000"])
    if FAULT == "stays":
        time.sleep(1000)
    if FAULT == "ends-badly":
        sys.exit(7)
