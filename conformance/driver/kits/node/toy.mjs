// A partition in memory as a driver: `node toy.mjs`. It is here to be read, and to try the kit with `fencepost driver-test`.

import { Parks, Unsupported, serve } from './fencepost-driver.mjs'

class Toy {
  capabilities() {
    return {
      subject: 'toy-node', version: '1', calls: ['poll', 'store', 'send'], parks: ['request', 'arrival', 'reply'],
      observables: ['start_offset', 'next_offset', 'messages', 'bookmarks', 'parked'], crashes: [], deterministic: true,
    }
  }

  reset(world) {
    this.parks = new Parks()
    this.messages = [...world.messages]
    this.bookmarks = { ...world.bookmarks }
    this.members = new Set(world.clients.filter((client) => client.is_of_group).map((client) => client.name))
  }

  start(operation, call) {
    const work = { poll: this.poll, store: this.store, send: this.send }[call.kind]
    if (!work) throw new Unsupported(`there is no ${call.kind} here`)
    return this.parks.run(operation, async () => {
      await this.parks.at(`request:${operation}`)
      await this.parks.at(`arrival:${operation}`)
      const reply = work.call(this, call)
      await this.parks.at(`reply:${operation}`)
      return reply
    })
  }

  resume(park, answer) {
    if (answer !== 'proceed') throw new Unsupported('nothing here can fail or time out')
    return this.parks.resume(park)
  }

  cancel(operation) { this.parks.cancel(operation) }
  crash() { throw new Unsupported('there are no files that could survive') }
  restart() { throw new Unsupported('there are no files to recover from') }
  parked() { return this.parks.list() }

  observe() {
    return {
      start_offset: 0, next_offset: this.messages.length, messages: this.messages.map((payload, offset) => [offset, payload]),
      bookmarks: this.bookmarks, parked: this.parked(),
    }
  }

  key(consumer) { return this.members.has(consumer) ? 'group' : consumer }

  poll({ consumer, start, count, automatic_commit: automaticCommit }) {
    const head = this.messages.length
    const key = this.key(consumer)
    const first = { next: (this.bookmarks[key] ?? -1) + 1, first: 0, last: Math.max(0, head - count), offset: start.offset }[start.from]
    const messages = this.messages.slice(first, first + count).map((payload, index) => [first + index, payload])
    if (messages.length === 0) return { kind: 'empty' }
    if (automaticCommit) this.bookmarks[key] = messages.at(-1)[0]
    return { kind: 'batch', messages }
  }

  store({ consumer, offset }) {
    if (offset >= this.messages.length) return { kind: 'code', code: 4100 }
    this.bookmarks[this.key(consumer)] = offset
    return { kind: 'acknowledged' }
  }

  send({ payloads }) {
    this.messages.push(...payloads)
    return { kind: 'acknowledged' }
  }
}

await serve(new Toy())
