'use strict'

// Level 1: the class OffsetManager of one release of KafkaJS, unmodified, on answers that the
// steps order. The loop around it is ours: it does what the loop of KafkaJS 2.x does around that
// class, but without the filter that leaves out partitions of unknown offset.

const path = require('node:path')
const shared = require('./shared.js')

const { TOPIC, GROUP, MEMBER, NODES } = shared

// Which errors a step may answer to which request, and the name KafkaJS has for each.
const ERRORS = {
  fetch: { 'out-of-range': 'OFFSET_OUT_OF_RANGE', 'not-leader': 'NOT_LEADER_FOR_PARTITION' },
  commit: { 'illegal-generation': 'ILLEGAL_GENERATION' },
}

function refuse(request, word) {
  const type = shared.errorOf(ERRORS, request, word)
  return Object.assign(new Error(type), { type })
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
    this.requests = new shared.Requests(refuse)
    this.coordinator = shared.coordinatorOf(this.requests)
    this.cluster = shared.clusterOf(this.requests)
    this.workers = new Workers(begin.concurrency, batch => this.handle(batch))
    this.handlers = new shared.Handlers()
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
    this.assignment = shared.assignmentOf(partitions)
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
    await this.handlers.run(partition, first, last)
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

  take(step) {
    this.told = {}
    switch (step.do) {
      case 'round':
        return this.startRound(step.node, step.offsets_for)
      case 'answer':
        return this.requests.answer(step)
      case 'handler-ends':
        return this.handlers.end(step.partition)
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

  // Nothing here waits for anything but promises, and those have all run before the next immediate.
  settle() {
    return new Promise(resolve => setImmediate(resolve))
  }

  observe() {
    return {
      ...shared.observed(this, this.idle),
      committed: visible(this.cluster.committedOffsets()[TOPIC]),
      resolved: visible(this.manager.resolvedOffsets[TOPIC]),
      next_offsets: this.told,
    }
  }
}

async function run(parts, [begin, ...steps]) {
  shared.demandBegin(begin)
  return shared.walk(new World(parts, begin), steps)
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
