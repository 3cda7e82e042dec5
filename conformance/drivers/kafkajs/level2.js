'use strict'

// Level 2: the whole Consumer of KafkaJS 2.x, unmodified, on a cluster of our own whose answers
// the steps order. Two methods are wrapped from outside: ConsumerGroup.fetch, so that a fetcher
// waits at its entry until a step lets it in, and Runner.handleBatch, to see its errors.

const path = require('node:path')
const FakeTimers = require('@sinonjs/fake-timers')
const shared = require('./shared.js')

// The driver waits on the real setImmediate; KafkaJS sleeps on the clock that a run replaces.
const realImmediate = setImmediate
const REPLACED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date']

const { TOPIC, GROUP, MEMBER, NODES } = shared

// Which errors a step may answer to which request, and the code Kafka has for each.
const ERRORS = {
  fetch: { 'out-of-range': 1, 'not-leader': 6 },
  commit: { 'illegal-generation': 22 },
}

// The errors as KafkaJS raises them when it reads such an answer from a socket.
function refuse({ createErrorFromCode, OffsetOutOfRange }, request, word) {
  const protocolError = createErrorFromCode(shared.errorOf(ERRORS, request, word))
  if (word !== 'out-of-range') return protocolError
  return new OffsetOutOfRange(protocolError, { topic: TOPIC, partition: request.node })
}

// The group as the coordinator sees it. Generation 1 is joined without a step. SyncGroup hands out
// the assignment that the last answer to JoinGroup named, at once.
function createCoordinator({ MemberAssignment }, requests, firstAssignment) {
  let joined = false
  let assignment = firstAssignment
  const membership = generationId => ({
    generationId,
    leaderId: 'another member',
    memberId: MEMBER,
    members: [],
    groupProtocol: 'RoundRobinAssigner',
  })
  const encoded = () =>
    MemberAssignment.encode({ version: 0, assignment: shared.assignmentOf(assignment) })

  return {
    ...shared.coordinatorOf(requests),
    heartbeat: async () => {},
    leaveGroup: async () => {},
    joinGroup: async () => {
      if (!joined) {
        joined = true
        return membership(1)
      }
      return requests.hold({ api: 'join' }, value => {
        assignment = value.assignment
        return membership(value.generation)
      })
    },
    syncGroup: async () => ({ memberAssignment: encoded() }),
  }
}

function messagesOf(records) {
  if (records === null) return []
  const [first, last] = records.map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    offset: String(first + index),
    key: null,
    value: null,
  }))
}

function createBroker(requests, node) {
  return {
    fetch: ({ topics }) =>
      requests.hold({ api: 'fetch', node, offsets: shared.offsetsOf(topics, 'fetchOffset') }, value => {
        const messages = messagesOf(value.records)
        const highWatermark = value.records === null ? '0' : String(Number(value.records[1]) + 1)
        const partition = { partition: node, highWatermark, abortedTransactions: [], messages }
        return { responses: [{ topicName: TOPIC, partitions: [partition] }] }
      }),
  }
}

// What KafkaJS calls a cluster: connections and metadata.
function createCluster(requests, coordinator) {
  const brokers = NODES.map(node => createBroker(requests, node))
  return {
    ...shared.clusterOf(requests),
    connect: async () => {},
    disconnect: async () => {},
    refreshMetadata: async () => {},
    refreshMetadataIfNecessary: async () => {},
    addMultipleTargetTopics: async () => {},
    removeBroker: () => {},
    getNodeIds: () => NODES,
    findBroker: async ({ nodeId }) => brokers[nodeId],
    findGroupCoordinator: async () => coordinator,
    findTopicPartitionMetadata: () => NODES.map(node => ({ partitionId: node, leader: node })),
  }
}

const silent = () => {}
const logger = {
  namespace: () => logger,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
}

// Puts `make(original)` in the place of a method and returns what puts the original back.
function replace(prototype, name, make) {
  const original = prototype[name]
  prototype[name] = make(original)
  return () => {
    prototype[name] = original
  }
}

class World {
  constructor(parts, begin, clock) {
    this.parts = parts
    this.begin = begin
    this.clock = clock
    this.requests = new shared.Requests((request, word) => refuse(parts, request, word))
    this.handlers = new shared.Handlers()
    this.gates = new Map()
    this.ended = null
    this.undo = []
  }

  end(error) {
    if (this.ended !== null) return
    const { type } = error.cause || error
    this.ended = type === 'ILLEGAL_GENERATION' ? 'stopped' : `${error.name}: ${error.message}`
  }

  // The event "crash" comes only after every other fetcher has finished its round, so an error is
  // noted where it leaves KafkaJS's own recovery: from there it always ends the fetchers.
  wrapMethods() {
    const world = this
    const noting = async promise => {
      try {
        return await promise
      } catch (error) {
        world.end(error)
        throw error
      }
    }
    const fetch = original =>
      async function (node) {
        await new Promise(resolve => world.gates.set(node, resolve))
        return noting(original.call(this, node))
      }
    const handleBatch = original =>
      function (batch) {
        return noting(original.call(this, batch))
      }
    this.undo.push(replace(this.parts.ConsumerGroup.prototype, 'fetch', fetch))
    this.undo.push(replace(this.parts.Runner.prototype, 'handleBatch', handleBatch))
  }

  unwrapMethods() {
    for (const undo of this.undo) undo()
  }

  async start() {
    this.wrapMethods()
    const { assignment, automatic, from_beginning: fromBeginning, concurrency } = this.begin
    const coordinator = createCoordinator(this.parts, this.requests, assignment)
    const cluster = createCluster(this.requests, coordinator)
    const consumer = this.parts.createConsumer({ cluster, groupId: GROUP, logger })
    consumer.on(consumer.events.CRASH, ({ payload }) => this.end(payload.error))
    this.consumer = consumer

    await consumer.connect()
    await consumer.subscribe({ topic: TOPIC, fromBeginning })
    await consumer.run({
      autoCommit: automatic,
      partitionsConsumedConcurrently: concurrency,
      eachBatch: ({ batch }) => this.runHandler(batch),
    })
    await this.settle()
  }

  runHandler(batch) {
    return this.handlers.run(batch.partition, batch.firstOffset(), batch.lastOffset())
  }

  // Promises have all run before the next immediate. A fetcher with nothing to fetch sleeps, and
  // nothing else uses the clock: it is woken at once and waits at the gate like any idle one.
  async settle() {
    await new Promise(resolve => realImmediate(resolve))
    while (this.ended === null && this.clock.countTimers() > 0) {
      this.clock.next()
      await new Promise(resolve => realImmediate(resolve))
    }
  }

  startRound(node) {
    const release = this.gates.get(node)
    if (!release) throw new Error(`the fetcher of node ${node} is not idle`)
    this.gates.delete(node)
    release()
  }

  commit(partition, offset) {
    this.consumer
      .commitOffsets([{ topic: TOPIC, partition, offset }])
      .catch(error => this.end(error))
  }

  take(step) {
    const partitions = [{ topic: TOPIC, partitions: [step.partition] }]
    switch (step.do) {
      case 'round':
        return this.startRound(step.node)
      case 'answer':
        return this.requests.answer(step)
      case 'handler-ends':
        return this.handlers.end(step.partition)
      case 'seek':
        return this.consumer.seek({ topic: TOPIC, partition: step.partition, offset: step.offset })
      case 'pause':
        return this.consumer.pause(partitions)
      case 'resume':
        return this.consumer.resume(partitions)
      case 'commit':
        return this.commit(step.partition, step.offset)
      default:
        throw new Error(`unknown step "${step.do}"`)
    }
  }

  observe() {
    return shared.observed(this, this.gates.keys())
  }
}

async function run(parts, [begin, ...steps]) {
  shared.demandBegin(begin)
  const clock = FakeTimers.install({ now: 0, toFake: REPLACED })
  const world = new World(parts, begin, clock)
  try {
    await world.start()
    return await shared.walk(world, steps)
  } finally {
    world.unwrapMethods()
    clock.uninstall()
  }
}

exports.create = folder => {
  const { version } = require(path.join(folder, 'package.json'))
  if (version.startsWith('1.')) {
    throw new Error(
      `level 2 does not drive KafkaJS ${version}: the loop of 1.x is one round for all nodes`
    )
  }
  const load = name => require(path.join(folder, 'src', name))
  const parts = {
    createConsumer: load('consumer'),
    ConsumerGroup: load('consumer/consumerGroup'),
    Runner: load('consumer/runner'),
    MemberAssignment: load('consumer/assignerProtocol').MemberAssignment,
    createErrorFromCode: load('protocol/error').createErrorFromCode,
    OffsetOutOfRange: load('errors').KafkaJSOffsetOutOfRange,
  }
  return { run: steps => run(parts, steps) }
}
