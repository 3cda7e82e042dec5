'use strict'

// What is seen of a run, in order: requests when they are sent and answered, handlers, joins,
// crashes. The package is watched from outside: the methods of its class Broker are wrapped in
// this process, and it tells of joins and crashes by itself.

const path = require('node:path')

const CALLS = {
  fetch: { api: 'fetch', view: request => ({ offsets: offsetsOf(request.topics, 'fetchOffset') }) },
  offsetFetch: { api: 'offset-fetch', view: request => ({ partitions: partitionsOf(request) }) },
  listOffsets: { api: 'list-offsets', view: request => ({ partitions: partitionsOf(request) }) },
  offsetCommit: {
    api: 'commit',
    view: request => ({
      generation: request.groupGenerationId,
      offsets: offsetsOf(request.topics, 'offset'),
    }),
  },
  joinGroup: { api: 'join', view: () => ({}) },
  leaveGroup: { api: 'leave', view: () => ({}) },
}

const ANSWERS = {
  fetch: ({ responses }) => ({ records: recordsOf(responses) }),
  'offset-fetch': ({ responses }) => ({ offsets: offsetsOf(responses, 'offset') }),
  'list-offsets': ({ responses }) => ({ offsets: offsetsOf(responses, 'offset') }),
  commit: () => ({}),
  join: ({ generationId }) => ({ generation: generationId }),
  leave: () => ({}),
}

// From 2.0.0 on a broker has a pool of connections.
const clientOf = ({ connection, connectionPool }) => (connectionPool || connection).clientId

const entriesOf = topics => topics.flatMap(({ partitions }) => partitions)

const partitionsOf = ({ topics }) => entriesOf(topics).map(({ partition }) => Number(partition))

const offsetsOf = (topics, name) =>
  Object.fromEntries(entriesOf(topics).map(entry => [entry.partition, String(entry[name])]))

const recordsOf = responses =>
  Object.fromEntries(
    entriesOf(responses).map(({ partition, messages }) => [
      partition,
      messages.length > 0 ? [messages[0].offset, messages[messages.length - 1].offset] : null,
    ])
  )

class Journal {
  constructor() {
    this.begun = Date.now()
    this.entries = []
    this.listeners = new Set()
    this.requests = 0
    this.problem = null
  }

  note(event, details) {
    const entry = { event, ...details, milliseconds: Date.now() - this.begun }
    this.entries.push(entry)
    for (const listener of this.listeners) listener()
  }

  // The first entry that is like that, from the entry number `from` on; waits for it.
  async when(isIt, { from = 0, within, what }) {
    const found = () => this.entries.slice(from).find(isIt)
    return this.until(found, { within, what })
  }

  // What `look` gives as soon as it gives something; it is asked again after each entry.
  until(look, { within, what }) {
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        clearTimeout(timer)
        this.listeners.delete(listener)
        settle(value)
      }
      const listener = () => {
        const value = look()
        if (value) end(resolve, value)
      }
      const late = () => end(reject, new Late(`${what}: not within ${within} ms`))
      const timer = setTimeout(late, within)
      this.listeners.add(listener)
      listener()
    })
  }

  // Notes every request of the package that goes through a method of its class Broker.
  watch(folder) {
    const Broker = require(path.join(folder, 'src/broker'))
    for (const [name, { api, view }] of Object.entries(CALLS)) {
      const original = Broker.prototype[name]
      const journal = this
      Broker.prototype[name] = function (request) {
        const details = () => ({ client: clientOf(this), api, node: this.nodeId, ...view(request) })
        return journal.follow(api, details, () => original.call(this, request))
      }
    }
  }

  async follow(api, details, send) {
    const request = ++this.requests
    const sent = this.view(details)
    this.note('sent', { request, ...sent })
    const about = { request, client: sent.client, api }
    try {
      const value = await send()
      this.note('answered', { ...about, ...this.view(() => ANSWERS[api](value)) })
      return value
    } catch (error) {
      this.note('answered', { ...about, error: error.type || error.name })
      throw error
    }
  }

  // A mistake of this file must not look like one of the package, into whose call it is thrown.
  view(make) {
    try {
      return make()
    } catch (error) {
      this.problem = this.problem || error
      return {}
    }
  }
}

// A wait that came to nothing: a result of a run, unlike an error of the driver.
class Late extends Error {}

module.exports = { Journal, Late }
