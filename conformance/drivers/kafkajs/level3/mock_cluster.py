"""A cluster of librdkafka's mock brokers: JSON lines on standard input, answers on standard output.

The brokers listen on loopback only, and end with this process, which ends when its input does.
The library is the one that the Python package confluent-kafka brings along. Its mock cluster has
no place in that package's interface, so it is called by name, through ctypes.
"""

import ctypes
import json
import sys
from pathlib import Path

import confluent_kafka
from confluent_kafka import Consumer, Producer, TopicPartition

PRODUCER = 0  # rd_kafka_type_t: the cluster needs some client to belong to
WAIT_SECONDS = 20
LEAVE_GROUP = 13  # its key

# Functions of the mock cluster that take it first and give an error code: what each takes after it.
FUNCTIONS = {
    "topic_create": [ctypes.c_char_p, ctypes.c_int, ctypes.c_int],
    "partition_set_leader": [ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32],
    "partition_delete_records": [ctypes.c_char_p, ctypes.c_int32, ctypes.c_int64],
    "coordinator_set": [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int32],
    "broker_set_rtt": [ctypes.c_int32, ctypes.c_int],
    "set_apiversion": [ctypes.c_int16, ctypes.c_int16, ctypes.c_int16],
    # Takes pairs of error and delay after these: as many as it is told.
    "broker_push_request_error_rtts": [ctypes.c_int32, ctypes.c_int16, ctypes.c_size_t],
}

# The others: what each gives, and what it takes.
OTHERS = {
    "new": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
    "destroy": (None, [ctypes.c_void_p]),
    "err2str": (ctypes.c_char_p, [ctypes.c_int]),
    "mock_cluster_new": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
    "mock_cluster_destroy": (None, [ctypes.c_void_p]),
    "mock_cluster_bootstraps": (ctypes.c_char_p, [ctypes.c_void_p]),
    "mock_group_initial_rebalance_delay_ms": (None, [ctypes.c_void_p, ctypes.c_int32]),
}


def load_library():
    """The shared library of the wheel, the same one that the package itself has loaded."""
    package = Path(confluent_kafka.__file__).parent
    folders = [package.parent / "confluent_kafka.libs", package / ".dylibs"]
    for folder in folders:
        for file in sorted(folder.glob("librdkafka[-.]*")):
            return declare(ctypes.CDLL(str(file)))
    raise RuntimeError(f"no librdkafka beside {package}")


def declare(library):
    """Tells ctypes what the functions take and give."""
    of_cluster = {
        f"mock_{name}": (ctypes.c_int, [ctypes.c_void_p, *arguments])
        for name, arguments in FUNCTIONS.items()
    }
    for name, (result, arguments) in {**OTHERS, **of_cluster}.items():
        function = getattr(library, f"rd_kafka_{name}")
        function.restype = result
        function.argtypes = arguments
    return library


class Cluster:
    """Two or more brokers with one topic and one group."""

    def __init__(self, library):
        self.library = library
        self.client = None
        self.handle = None

    def start(self, brokers, topic, leaders, group, coordinator, rebalance_delay_milliseconds):
        """Starts the brokers; partition p is led by `leaders[p]`."""
        if self.handle is not None:
            raise ValueError("the cluster was started already")
        reason = ctypes.create_string_buffer(512)
        self.client = self.library.rd_kafka_new(PRODUCER, None, reason, len(reason))
        if not self.client:
            raise RuntimeError(reason.value.decode())
        self.handle = self.library.rd_kafka_mock_cluster_new(self.client, brokers)
        if not self.handle:
            raise RuntimeError("the mock cluster does not start")
        self.topic, self.group, self.partitions = topic, group, len(leaders)
        self.call("topic_create", topic.encode(), len(leaders), 1)
        for partition, broker in enumerate(leaders):
            self.call("partition_set_leader", topic.encode(), partition, broker)
        # The mock brokers offer later versions, but read and answer them as if they were this one.
        self.call("set_apiversion", LEAVE_GROUP, 0, 1)
        self.call("coordinator_set", b"group", group.encode(), coordinator)
        self.library.rd_kafka_mock_group_initial_rebalance_delay_ms(
            self.handle, rebalance_delay_milliseconds
        )
        self.bootstrap = self.library.rd_kafka_mock_cluster_bootstraps(self.handle).decode()
        return {"bootstrap": self.bootstrap.split(",")}

    def call(self, name, *arguments):
        """Calls a function of the mock cluster, which answers with an error code."""
        if self.handle is None:
            raise ValueError("the cluster was not started")
        code = getattr(self.library, f"rd_kafka_mock_{name}")(self.handle, *arguments)
        if code != 0:
            text = self.library.rd_kafka_err2str(code).decode()
            raise RuntimeError(f"{name}{arguments} failed: {text}")

    def round_trip(self, broker, milliseconds):
        """Every answer of that broker comes this much later."""
        self.call("broker_set_rtt", broker, milliseconds)

    def fail(self, broker, api, error):
        """The next request for that API which reaches the broker is answered with that error."""
        pairs = [ctypes.c_int(error), ctypes.c_int(0)]
        self.call("broker_push_request_error_rtts", broker, api, 1, *pairs)

    def produce(self, partition, count):
        """Appends records, and waits until they are stored."""
        failures = []
        # Lingering puts all of them into one batch, so that one fetch gets them all.
        producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 50})
        for number in range(count):
            producer.produce(
                self.topic,
                str(number),
                partition=partition,
                on_delivery=lambda error, _: error and failures.append(str(error)),
            )
        left = producer.flush(WAIT_SECONDS)
        if left or failures:
            raise RuntimeError(f"{left} records are not stored; {failures[:1]}")

    def delete_records(self, partition, before):
        """Deletes the records below an offset; numbers are kept."""
        self.call("partition_delete_records", self.topic.encode(), partition, before)

    def with_group(self, use):
        """Uses a client of the group that never joins it."""
        client = Consumer({"bootstrap.servers": self.bootstrap, "group.id": self.group})
        try:
            return use(client)
        finally:
            client.close()

    def commit(self, offsets):
        """Stores offsets for the group, which must not have members."""
        wanted = [TopicPartition(self.topic, int(key), value) for key, value in offsets.items()]
        stored = self.with_group(lambda client: client.commit(offsets=wanted, asynchronous=False))
        for entry in stored:
            if entry.error is not None:
                raise RuntimeError(f"the commit of partition {entry.partition}: {entry.error}")

    def committed(self):
        """What the cluster has stored for the group; `null` where there is nothing."""
        wanted = [TopicPartition(self.topic, number) for number in range(self.partitions)]
        stored = self.with_group(lambda client: client.committed(wanted, timeout=WAIT_SECONDS))
        offsets = {entry.partition: entry.offset for entry in stored}
        nothing = confluent_kafka.OFFSET_INVALID
        return {
            "offsets": {key: None if value == nothing else value for key, value in offsets.items()}
        }

    def stop(self):
        """Ends the brokers."""
        if self.handle is not None:
            self.library.rd_kafka_mock_cluster_destroy(self.handle)
            self.library.rd_kafka_destroy(self.client)
            self.handle = None


COMMANDS = {
    "start": Cluster.start,
    "round-trip": Cluster.round_trip,
    "fail": Cluster.fail,
    "produce": Cluster.produce,
    "delete-records": Cluster.delete_records,
    "commit": Cluster.commit,
    "committed": Cluster.committed,
    "stop": Cluster.stop,
}


def answer(cluster, line):
    """Does what a line asks for."""
    try:
        question = json.loads(line)
        command = COMMANDS[question.pop("do")]
        return command(cluster, **question) or {}
    except Exception as error:  # whatever it is, it is for who asked
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    """Answers lines until there are no more."""
    cluster = Cluster(load_library())
    for line in sys.stdin:
        print(json.dumps(answer(cluster, line)), flush=True)
    cluster.stop()


main()
