'use strict'

// What both levels have in common: requests that wait for their answer, the parts of the cluster
// and of the coordinator that the offset manager uses, and the walk along the steps.

const TOPIC = 'topic'
const GROUP = 'group'
const MEMBER = 'member'
const NODES = [0, 1] // partition p is led by node p

// The requests that wait for a step to answer them. `refuse` makes the error that a request gets.
class Requests {
  constructor(refuse) {
    this.refuse = refuse
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
      request.reject(this.refuse(request.view, error))
    }
    this.outstanding.delete(id)
  }

  view() {
    return Array.from(this.outstanding.values(), ({ view }) => view)
  }
}

// Which of `errors` (by API and word) a step answers with.
function errorOf(errors, { api }, word) {
  const error = errors[api] && errors[api][word]
  if (!error) throw new Error(`a request "${api}" cannot be answered with the error "${word}"`)
  return error
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

const offsetsOf = (topics, name) =>
  Object.fromEntries(
    topics.flatMap(({ partitions }) =>
      partitions.map(entry => [entry.partition, String(entry[name])])
    )
  )

// A group with nothing assigned gets an assignment without the topic, not an empty list for it:
// that is what the assigners of KafkaJS hand out.
const assignmentOf = partitions => (partitions.length > 0 ? { [TOPIC]: [...partitions].sort() } : {})

// The connection to the group coordinator, as far as the offset manager uses it.
const coordinatorOf = requests => ({
  isConnected: () => true,
  offsetCommit: ({ groupGenerationId, topics }) =>
    requests.hold(
      { api: 'commit', generation: groupGenerationId, offsets: offsetsOf(topics, 'offset') },
      () => undefined
    ),
  offsetFetch: ({ topics }) => {
    const partitions = partitionsOf(topics)
    return requests.hold({ api: 'offset-fetch', partitions }, value => ({
      responses: [{ topic: TOPIC, partitions: answeredOffsets(value, partitions) }],
    }))
  },
})

// The cluster, as far as the offset manager uses it. The map of committed offsets belongs to the
// cluster, so that every manager of the group shares it: some hazards come from exactly that.
function clusterOf(requests) {
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

// The handlers that run, by partition; each returns when a step says so.
class Handlers {
  constructor() {
    this.running = new Map()
  }

  run(partition, first, last) {
    return new Promise(resolve => this.running.set(partition, { first, last, resolve }))
  }

  end(partition) {
    const handler = this.running.get(partition)
    if (!handler) throw new Error(`no handler of partition ${partition} runs`)
    this.running.delete(partition)
    handler.resolve()
  }

  view() {
    const views = Array.from(this.running, ([partition, { first, last }]) => ({
      partition,
      first,
      last,
    }))
    return views.sort((one, other) => one.partition - other.partition)
  }
}

// What everybody can see of a world. What is left over when it has ended is of no use to anybody,
// so it is not shown.
const observed = ({ ended, requests, handlers }, idle) => ({
  requests: ended === null ? requests.view() : [],
  handlers: ended === null ? handlers.view() : [],
  idle: ended === null ? [...idle].sort() : [],
  ended,
})

// Takes the steps one after the other, until the world has ended; gives what is seen after each.
async function walk(world, steps) {
  const seen = [world.observe()]
  for (const step of steps) {
    if (world.ended !== null) break
    try {
      world.take(step)
    } catch (error) {
      throw Object.assign(new Error(`step ${seen.length}: ${error.message}`), { seen })
    }
    await world.settle()
    seen.push(world.observe())
  }
  return seen
}

function demandBegin(step) {
  if (!step || step.do !== 'begin') throw new Error('a run starts with the step "begin"')
}

module.exports = {
  TOPIC,
  GROUP,
  MEMBER,
  NODES,
  Requests,
  Handlers,
  errorOf,
  offsetsOf,
  assignmentOf,
  coordinatorOf,
  clusterOf,
  observed,
  walk,
  demandBegin,
}
