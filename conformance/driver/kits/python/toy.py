"""A partition in memory as a driver: `python3 toy.py`. It is here to be read, and to try the kit with `fencepost driver-test`."""

from fencepost_driver import Parks, Unsupported, serve


class Toy:
    def capabilities(self):
        return {
            "subject": "toy-python", "version": "1", "calls": ["poll", "store", "send"],
            "parks": ["request", "arrival", "reply"],
            "observables": ["start_offset", "next_offset", "messages", "bookmarks", "parked"],
            "crashes": [], "deterministic": True,
        }

    def reset(self, world):
        self.parks = Parks()
        self.messages, self.bookmarks = list(world["messages"]), dict(world["bookmarks"])
        self.members = {client["name"] for client in world["clients"] if client["is_of_group"]}

    def start(self, operation, call):
        work = {"poll": self.poll, "store": self.store, "send": self.send}.get(call["kind"])
        if work is None:
            raise Unsupported("there is no {} here".format(call["kind"]))
        return self.parks.start(operation, self.request(operation, work, call))

    def resume(self, park, answer):
        if answer != "proceed":
            raise Unsupported("nothing here can fail or time out")
        return self.parks.resume(park)

    def cancel(self, operation):
        self.parks.cancel(operation)

    def crash(self, crash):
        raise Unsupported("there are no files that could survive")

    def restart(self):
        raise Unsupported("there are no files to recover from")

    def parked(self):
        return self.parks.list()

    def observe(self):
        return {
            "start_offset": 0, "next_offset": len(self.messages), "messages": list(enumerate(self.messages)),
            "bookmarks": self.bookmarks, "parked": self.parked(),
        }

    def request(self, operation, work, call):
        yield "request:" + operation
        yield "arrival:" + operation
        reply = work(call)
        yield "reply:" + operation
        return reply

    def key(self, call):
        return "group" if call["consumer"] in self.members else call["consumer"]

    def poll(self, call):
        head, start, count = len(self.messages), call["start"], call["count"]
        first = {
            "next": self.bookmarks.get(self.key(call), -1) + 1, "first": 0, "last": max(0, head - count),
            "offset": start.get("offset"),
        }[start["from"]]
        batch = list(enumerate(self.messages))[first:first + count]
        if not batch:
            return {"kind": "empty"}
        if call["automatic_commit"]:
            self.bookmarks[self.key(call)] = batch[-1][0]
        return {"kind": "batch", "messages": batch}

    def store(self, call):
        if call["offset"] >= len(self.messages):
            return {"kind": "code", "code": 4100}
        self.bookmarks[self.key(call)] = call["offset"]
        return {"kind": "acknowledged"}

    def send(self, call):
        self.messages.extend(call["payloads"])
        return {"kind": "acknowledged"}


if __name__ == "__main__":
    serve(Toy())
