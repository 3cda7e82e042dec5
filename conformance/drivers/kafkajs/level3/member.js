'use strict'

// The world of every schedule, and a consumer of the package in it, as a user would make one: public
// options only.

const TOPIC = 'topic'
const GROUP = 'group'

// Starts two brokers: node 1 leads partition 0 and coordinates the group, node 2 leads partition 1.
// Returns where they are.
async function startCluster(cluster) {
  const { bootstrap } = await cluster.ask('start', {
    brokers: 2,
    topic: TOPIC,
    leaders: [1, 2],
    group: GROUP,
    coordinator: 1,
    rebalance_delay_milliseconds: 0,
  })
  return bootstrap
}

// Gives partition 0 to the member that is called `taker`, if it is there, and the rest to the
// other one. Both members name themselves in what KafkaJS calls user data.
const assignerOf = ({ AssignerProtocol }, name, taker) => () => ({
  name: 'FirstPartitionToTaker',
  version: 0,
  protocol: ({ topics }) => ({
    name: 'FirstPartitionToTaker',
    metadata: AssignerProtocol.MemberMetadata.encode({
      version: 0,
      topics,
      userData: Buffer.from(name),
    }),
  }),
  assign: async ({ members }) => {
    const nameOf = ({ memberMetadata }) =>
      String(AssignerProtocol.MemberMetadata.decode(memberMetadata).userData)
    const shareOf = member => {
      if (members.length === 1) return [0, 1]
      return nameOf(member) === taker ? [0] : [1]
    }
    return members.map(member => ({
      memberId: member.memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: 0,
        assignment: { [TOPIC]: shareOf(member) },
        userData: Buffer.alloc(0),
      }),
    }))
  },
})

// Notes what the consumer tells of itself by its events.
function noteEvents(journal, consumer, client) {
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) =>
    journal.note('joined', { client, partitions: payload.memberAssignment[TOPIC] || [] })
  )
  consumer.on(consumer.events.HEARTBEAT, () => journal.note('heartbeat', { client }))
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) =>
    journal.note('crashed', {
      client,
      error: `${error.name}: ${error.message}`,
      restarts: restart === true,
    })
  )
}

// Notes which records a handler is given; `process` may hold it.
const handlerOf = (journal, client, process) => async ({ batch }) => {
  const about = {
    client,
    partition: batch.partition,
    offsets: [batch.firstOffset(), batch.lastOffset()],
  }
  journal.note('handler-begins', about)
  await process(about)
  journal.note('handler-ends', about)
}

// Starts a consumer; returns what disconnects it.
async function startMember({ library, journal, bootstrap, client, options, process, taker }) {
  const { Kafka, logLevel } = library
  const kafka = new Kafka({ clientId: client, brokers: bootstrap, logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({
    groupId: GROUP,
    maxWaitTimeInMs: 200,
    ...(taker && { partitionAssigners: [assignerOf(library, client, taker)] }),
    ...options.consumer,
  })
  noteEvents(journal, consumer, client)
  await consumer.connect()
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true })
  await consumer.run({ ...options.run, eachBatch: handlerOf(journal, client, process) })
  return () => consumer.disconnect()
}

module.exports = { startCluster, startMember }
