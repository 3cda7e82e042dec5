'use strict'

// Level 1: the class OffsetManager of one release of KafkaJS, unmodified, on answers that the
// steps order. The loop around it is ours: it does what the loop of KafkaJS 2.x does around that
// class, but without the filter that leaves out partitions of unknown offset.

const path = require('node:path')

const TOPIC = 'topic'
const GROUP = 'group'
const MEMBER = 'member'
const NODES = [0, 1] // partition p is led by node p

// Which errors a step may answer to which request, and the name KafkaJS has for each.
const ERRORS = {
  fetch: { 'out-of-range': 'OFFSET_OUT_OF_RANGE', 'not-leader': 'NOT_LEADER_FOR_PARTITION' },
  commit: { 'illegal-generation': 'ILLEGAL_GENERATION' },
}

function refusal(api, error) {
  const type = ERRORS[api] && ERRORS[api][error]
  if (!type) throw new Error(`a request "${api}" cannot be answered with the error "${error}"`)
  return Object.assign(new Error(type), { type })
}

// The requests that wait for a step to answer them.
class Requests {
  constructor() {
    this.issued = 0
    this.outstanding = new Map()
  }

  // `accept` turns the value of the step into what the caller of the request receives.
  hold(view, accept) {
    const id = ++this.issued
    return new Promise((resolve, reject) => {
      this.outstanding.set(id, { view: { id, ...view }, accept, resolve, reject })
    })
  }

  answer({ request: id, value, error }) {
    const request = this.outstanding.get(id)
    if (!request) throw new Error(`no request ${id} is outstanding`)
    if (error === undefined) {
      request.resolve(request.accept(value))
    } else {
      request.reject(refusal(request.view.api, error))
    }
    this.outstanding.delete(id)
  }

  view() {
    return Array.from(this.outstanding.values(), ({ view }) => view)
  }
}

// A real broker answers every partition it was asked for, so a step has to do the same.
function answeredOffsets(value, partitions) {
  return partitions.map(partition => {
    const offset = value.offsets[partition]
    if (offset === undefined) throw new Error(`the answer has no offset of partition ${partition}`)
    return { partition, offset }
  })
}

const partitionsOf = topics =>
  topics.flatMap(({ partitions }) => partitions.map(({ partition }) => Number(partition)))

const offsetsOf = topics =>
  Object.fromEntries(
    topics.flatMap(({ partitions }) =>
      partitions.map(({ partition, offset }) => [partition, String(offset)])
    )
  )

// The connection to the group coordinator, as far as the class uses it.
function createCoordinator(requests) {
  return {
    isConnected: () => true,
    offsetCommit: ({ groupGenerationId, topics }) =>
      requests.hold(
        { api: 'commit', generation: groupGenerationId, offsets: offsetsOf(topics) },
        () => undefined
      ),
    offsetFetch: ({ topics }) => {
      const partitions = partitionsOf(topics)
      return requests.hold({ api: 'offset-fetch', partitions }, value => ({
        responses: [{ topic: TOPIC, partitions: answeredOffsets(value, partitions) }],
      }))
    },
  }
}

// The cluster, as far as the class uses it. The map of committed offsets belongs to the cluster,
// so that every manager of the group shares it: some hazards come from exactly that.
function createCluster(requests) {
  const committed = {}
  const listOffsets = partition =>
    requests.hold({ api: 'list-offsets', node: partition, partitions: [partition] }, value =>
      answeredOffsets(value, [partition])
    )
  return {
    committedOffsets: () => committed,
    defaultOffset: ({ fromBeginning }) => (fromBeginning ? -2 : -1),
    fetchTopicsOffset: async topics => {
      const answers = await Promise.all(partitionsOf(topics).sort().map(listOffsets))
      return [{ topic: TOPIC, partitions: answers.flat() }]
    },
  }
}

// The workers, shared by the fetchers: a batch that finds no worker free waits for one.
class Workers {
  constructor(count, handle) {
    this.free = count
    this.handle = handle
    this.waiting = []
  }

  push(batch) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ batch, resolve, reject })
      if (this.free > 0) this.work()
    })
  }

  // A worker goes on with the next batch even when the handling of one has failed.
  async work() {
    this.free -= 1
    for (let item = this.waiting.shift(); item; item = this.waiting.shift()) {
      await this.handle(item.batch).then(item.resolve, item.reject)
    }
    this.free += 1
  }
}

// A group with nothing assigned gets an assignment without the topic, not an empty list for it:
// that is what the assigners of KafkaJS hand out.
const assignmentOf = partitions => (partitions.length > 0 ? { [TOPIC]: [...partitions].sort() } : {})

// JSON has no undefined, and a key that is there without a value is worth seeing.
const visible = offsets =>
  Object.fromEntries(
    Object.entries(offsets || {}).map(([partition, offset]) => [
      partition,
      offset == null ? null : String(offset),
    ])
  )

class World {
  constructor({ OffsetManager, Long, guard }, begin) {
    this.OffsetManager = OffsetManager
    this.Long = Long
    this.guard = guard
    this.automatic = begin.automatic
    this.fromBeginning = begin.from_beginning
    this.requests = new Requests()
    this.coordinator = createCoordinator(this.requests)
    this.cluster = createCluster(this.requests)
    this.workers = new Workers(begin.concurrency, batch => this.handle(batch))
    this.handlers = new Map()
    this.told = {} // what the manager answered in this step, when it was asked for next offsets
    this.seeks = new Map()
    this.paused = new Set()
    this.idle = new Set(NODES)
    this.ended = null
    this.install(1, begin.assignment)
  }

  // Every generation has a manager of its own. Code that awaits something finds, when it goes on,
  // the manager that is current then.
  install(generation, partitions) {
    this.assignment = assignmentOf(partitions)
    this.manager = new this.OffsetManager({
      cluster: this.cluster,
      coordinator: this.coordinator,
      memberAssignment: this.assignment,
      autoCommit: this.automatic,
      autoCommitInterval: null,
      autoCommitThreshold: null,
      topicConfigurations: { [TOPIC]: { fromBeginning: this.fromBeginning } },
      instrumentationEmitter: { emit() {} },
      groupId: GROUP,
      generationId: generation,
      memberId: MEMBER,
    })
  }

  end(error) {
    if (this.ended !== null) return
    this.ended = error.type === 'ILLEGAL_GENERATION' ? 'stopped' : `${error.name}: ${error.message}`
  }

  // The active partitions per topic: without the topic in the assignment there is no entry.
  active() {
    return Object.fromEntries(
      Object.entries(this.assignment).map(([topic, partitions]) => [
        topic,
        new Set(partitions.filter(partition => !this.paused.has(partition))),
      ])
    )
  }

  async takeSeeks(partitions) {
    for (const partition of partitions) {
      if (!this.seeks.has(partition)) continue
      const offset = this.seeks.get(partition)
      this.seeks.delete(partition)
      await this.manager.seek({ topic: TOPIC, partition, offset })
    }
  }

  // The offsets to fetch from `own`, after everything awaited: `own` may be of an older assignment.
  // KafkaJS looks both maps up without asking whether the topic is there, so this fails like it.
  nextOffsets(own, about) {
    const committed = this.manager.committedOffsets()
    const active = this.active()
    const allowed = partition => {
      const known = committed[TOPIC][partition] != null
      return (known || !this.guard) && active[TOPIC].has(partition)
    }

    const wanted = own.filter(allowed)
    const offsets = {}
    for (const partition of about) {
      if (!active[TOPIC] || !allowed(partition)) continue
      const offset = this.manager.nextOffset(TOPIC, partition).toString()
      this.told[partition] = offset
      if (wanted.includes(partition)) offsets[partition] = offset
    }
    return offsets
  }

  async fetch(node, offsetsFor) {
    // Which partitions a round is about is settled when it begins.
    const assigned = this.assignment[TOPIC] || []
    const own = assigned.filter(partition => partition === node)
    const about = offsetsFor.filter(partition => assigned.includes(partition))
    await this.takeSeeks(own)
    await this.manager.resolveOffsets()

    const offsets = this.nextOffsets(own, about)
    if (Object.keys(offsets).length === 0) return []

    const { records } = await this.requests.hold({ api: 'fetch', node, offsets }, value => value)
    if (this.seeks.has(node) || this.paused.has(node)) return []
    return [{ partition: node, fetched: offsets[node], records }]
  }

  async recover(error, node) {
    if (error.type === 'OFFSET_OUT_OF_RANGE') {
      await this.manager.setDefaultOffset({ topic: TOPIC, partition: node })
    } else if (error.type === 'NOT_LEADER_FOR_PARTITION') {
      const { generation, assignment } = await this.requests.hold({ api: 'join' }, value => value)
      this.install(generation, assignment)
    } else {
      throw error
    }
  }

  async fetchOrRecover(node, offsetsFor) {
    try {
      return await this.fetch(node, offsetsFor)
    } catch (error) {
      await this.recover(error, node)
      return []
    }
  }

  async round(node, offsetsFor) {
    const batches = await this.fetchOrRecover(node, offsetsFor)
    await Promise.all(batches.map(batch => this.workers.push(batch)))
  }

  async handle({ partition, fetched, records }) {
    if (records === null) return
    const [lowest, last] = records
    if (Number(last) < Number(fetched)) {
      // Only records below the offset asked for: taken for a compacted log, and skipped.
      this.manager.resolveOffset({ topic: TOPIC, partition, offset: fetched })
      return
    }

    const first = Number(lowest) < Number(fetched) ? fetched : lowest
    await new Promise(resolve => this.handlers.set(partition, { first, last, resolve }))
    this.manager.resolveOffset({ topic: TOPIC, partition, offset: last })
    if (this.automatic) await this.manager.commitOffsets()
  }

  // The public commitOffsets of KafkaJS turns the offset into a Long, and the manager keeps that.
  commit(partition, offset) {
    const partitions = [{ partition, offset: this.Long.fromValue(offset), metadata: null }]
    this.manager
      .commitOffsets({ topics: [{ topic: TOPIC, partitions }] })
      .catch(error => this.end(error))
  }

  startRound(node, offsetsFor) {
    if (!this.idle.delete(node)) throw new Error(`the fetcher of node ${node} is not idle`)
    this.round(node, offsetsFor).then(
      () => this.idle.add(node),
      error => this.end(error)
    )
  }

  endHandler(partition) {
    const handler = this.handlers.get(partition)
    if (!handler) throw new Error(`no handler of partition ${partition} runs`)
    this.handlers.delete(partition)
    handler.resolve()
  }

  take(step) {
    this.told = {}
    switch (step.do) {
      case 'round':
        return this.startRound(step.node, step.offsets_for)
      case 'answer':
        return this.requests.answer(step)
      case 'handler-ends':
        return this.endHandler(step.partition)
      case 'seek':
        return this.seeks.set(step.partition, step.offset)
      case 'pause':
        return this.paused.add(step.partition)
      case 'resume':
        return this.paused.delete(step.partition)
      case 'commit':
        return this.commit(step.partition, step.offset)
      default:
        throw new Error(`unknown step "${step.do}"`)
    }
  }

  runningHandlers() {
    const views = Array.from(this.handlers, ([partition, { first, last }]) => ({
      partition,
      first,
      last,
    }))
    return views.sort((one, other) => one.partition - other.partition)
  }

  // What is left over when the loop has ended is of no use to anybody, so it is not shown.
  observe() {
    const ended = this.ended !== null
    return {
      requests: ended ? [] : this.requests.view(),
      handlers: ended ? [] : this.runningHandlers(),
      idle: ended ? [] : [...this.idle].sort(),
      ended: this.ended,
      committed: visible(this.cluster.committedOffsets()[TOPIC]),
      resolved: visible(this.manager.resolvedOffsets[TOPIC]),
      next_offsets: this.told,
    }
  }
}

// Nothing here waits for anything but promises, and those have all run before the next immediate.
const settle = () => new Promise(resolve => setImmediate(resolve))

async function run(parts, [begin, ...steps]) {
  if (!begin || begin.do !== 'begin') throw new Error('a run starts with the step "begin"')
  const world = new World(parts, begin)
  const seen = [world.observe()]
  for (const step of steps) {
    if (world.ended !== null) break
    try {
      world.take(step)
    } catch (error) {
      throw Object.assign(new Error(`step ${seen.length}: ${error.message}`), { seen })
    }
    await settle()
    seen.push(world.observe())
  }
  return seen
}

// KafkaJS took its Long from the package "long" until 1.13.
function loadLong(folder) {
  try {
    return require(path.join(folder, 'src/utils/long'))
  } catch (error) {
    return require(require.resolve('long', { paths: [folder] }))
  }
}

// `guard: true` adds the filter that KafkaJS has since 1.12.0: no fetch of a partition whose
// committed offset is unknown. With it the loop is that of KafkaJS 2.x.
exports.create = (folder, { guard = false } = {}) => {
  const OffsetManager = require(path.join(folder, 'src/consumer/offsetManager'))
  const parts = { OffsetManager, Long: loadLong(folder), guard }
  return { run: steps => run(parts, steps) }
}
