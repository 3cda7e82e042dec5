// A driver for Fencepost in JavaScript: protocol `fencepost-driver/1`, no dependencies, Node 18 or later.
//
// Write each operation as an async function that awaits `parks.at(...)` wherever it waits for the runner, as in
//
//   parks.run(operation, async () => {
//     await parks.at(`request:${operation}`)      // on its way to the broker
//     await parks.at(`arrival:${operation}`)      // on its way to the owner
//     const reply = broker.poll(call)
//     await parks.at(`reply:${operation}`)        // on its way back
//     return reply                                // the client has it
//   })
//
// `await` gives back how the runner lets the work go on: `proceed`, `fail` or `time-out`. A step is over when every operation waits at
// a park or has ended; so an operation must not wait for another one except at a park.

export const PROTOCOL = 'fencepost-driver/1'
const MOST_LINE_BYTES = 1 << 20
const words = (text) => text.split(' ').filter(Boolean)

// The order of this list is the order of parks, and after it the name decides.
const PARK_KINDS = words(`request gather gathered propose arrival open complete wait reply apply commit purge finish-purge \
report-drained drained applied gateway-time-out revocation-time-out inner`)
const FIELDS = words(`status start_offset next_offset messages bookmarks bookmark_files last_polled purge_generation incarnation \
group_generation partition_owner mirrored_owner prepared queued unsynced parked`)
// Keys of the questions: those that have to be there, and those that may be.
const QUESTIONS = {
  hello: ['protocol'], reset: ['world'], start: ['operation call', 'observe'], resume: ['park', 'answer observe'],
  cancel: ['operation', 'observe'], crash: ['crash'], restart: ['', 'observe'], parked: [''], observe: ['fields'], bye: [''],
}
const CALLS = {
  poll: ['consumer start count automatic_commit may_wait'], store: ['consumer offset', 'batch_of'], delete: ['consumer'],
  send: ['payloads'], empty: [''], recreate: [''], join: ['consumer'], leave: ['consumer'], disconnect: ['consumer'],
  expire: ['count'],
}
const STARTS = { next: [''], first: [''], last: [''], offset: ['offset'] }
const CRASHES = { process: [''], power: ['keep'] }
const WORLD = `settings clients members partitions messages bookmarks queue_slots read_slots is_resident purges_in_steps loses_power \
holds_inner_steps`

export class Malformed extends Error {}
export class OutOfOrder extends Error {}
/** The implementation will not do this step. */
export class Refused extends Error {}
/** The driver has no way to do this step. */
export class Unsupported extends Error {}

/** Operations, each at its park. */
export class Parks {
  #waiting = new Map()
  #cancelled = new Set()
  #running = 0
  #quiet = () => {}
  #reply
  #failed

  /** Waits at a park until the runner lets it go on; gives back how. */
  at(park) {
    return new Promise((open) => {
      this.#waiting.set(park, open)
      this.#rest()
    })
  }

  /** Runs a new operation up to its first park. */
  run(operation, work) {
    return this.#step(() => {
      const end = (reply) => {
        if (reply !== undefined && !this.#cancelled.has(operation)) this.#reply = reply
      }
      work().then(end, (error) => { this.#failed = error }).then(() => this.#rest())
    })
  }

  /** Lets the work at a park make one step. */
  resume(park, answer = 'proceed') {
    const open = this.#waiting.get(park)
    if (!open) throw new Refused(`nothing waits at ${park}`)
    this.#waiting.delete(park)
    return this.#step(() => open(answer))
  }

  /** The caller gives up: the answer will be dropped when it comes. */
  cancel(operation) { this.#cancelled.add(operation) }

  list() {
    const rank = (park) => PARK_KINDS.indexOf(park.split(':', 1)[0])
    return [...this.#waiting.keys()].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
  }

  #rest() { if (--this.#running === 0) this.#quiet() }

  async #step(move) {
    this.#running += 1
    this.#reply = this.#failed = undefined
    await new Promise((quiet) => { this.#quiet = quiet; move() })
    if (this.#failed) throw this.#failed
    return this.#reply === undefined ? { type: 'parked' } : { type: 'done', reply: this.#reply }
  }
}

/** Serves until `bye` or the end of the input. Whatever else prints goes to standard error. */
export async function serve(driver) {
  console.log = console.info = console.debug = console.error
  let greeted = false
  for await (const line of lines(process.stdin)) {
    let id, last = !greeted, answer
    try {
      const question = understand(line)
      id = question.id
      if ((question.type === 'hello') === greeted) throw new OutOfOrder('there is one hello, and it comes first')
      greeted = true
      last = question.type === 'bye'
      answer = await replyTo(driver, question)
    } catch (error) {
      answer = failure(error)
    }
    process.stdout.write(JSON.stringify({ ...answer, in_reply_to: id }) + '\n')
    if (last) break
  }
  process.stdin.destroy()
}

async function* lines(stream) {
  let rest = Buffer.alloc(0)
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk])
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) yield rest.subarray(0, end).toString()
    if (rest.length >= MOST_LINE_BYTES) throw new Error('a line is too long')
  }
}

function failure(error) {
  if (error instanceof Refused) return { type: 'refused', reason: error.message }
  if (error instanceof Unsupported) return { type: 'unsupported', reason: error.message }
  const definite = error instanceof Malformed || error instanceof OutOfOrder
  const code = error instanceof Malformed ? 'malformed' : definite ? 'out-of-order' : 'failed'
  return { type: 'error', code, text: String(error.message ?? error), definite }
}

async function replyTo(driver, question) {
  switch (question.type) {
    case 'hello': return { type: 'ready', protocol: PROTOCOL, ...driver.capabilities() }
    case 'bye': return { type: 'done' }
    case 'parked': return { type: 'parked', parked: driver.parked() }
    case 'observe': return { type: 'observation', state: looked(driver, question.fields) }
    case 'reset': await driver.reset(question.world); return { type: 'done' }
    case 'crash': await driver.crash(question.crash); return { type: 'done' }
  }
  const answer = (await step(driver, question)) ?? { type: 'parked' }
  if (question.observe?.length) answer.observation = looked(driver, question.observe)
  return answer
}

function step(driver, question) {
  switch (question.type) {
    case 'start': return driver.start(question.operation, question.call)
    case 'resume': return driver.resume(question.park, question.answer ?? 'proceed')
    case 'cancel': return driver.cancel(question.operation)
    default: return driver.restart()
  }
}

function looked(driver, fields) {
  const state = driver.observe()
  return Object.fromEntries(fields.filter((field) => field in state).map((field) => [field, state[field]]))
}

function understand(line) {
  try {
    const question = JSON.parse(line, isExact)
    hasKeys(question, QUESTIONS, 'type', 'id')
    if (!Number.isInteger(question.id)) throw new Malformed('the id is no number')
    if (question.type === 'hello' && question.protocol !== PROTOCOL) throw new Malformed(`this driver speaks ${PROTOCOL}`)
    if (question.type === 'start') hasKeys(question.call, CALLS, 'kind')
    if (question.call?.kind === 'poll') hasKeys(question.call.start, STARTS, 'from')
    if (question.type === 'crash') hasKeys(question.crash, CRASHES, 'kind')
    if (question.type === 'reset') hasKeys(question.world, { world: [WORLD, 'prepare_slots'] })
    if (question.type === 'resume') isOneOf(question.park.split(':', 1)[0], PARK_KINDS)
    isOneOf(question.answer ?? 'proceed', ['proceed', 'fail', 'time-out'])
    for (const field of question.fields ?? question.observe ?? []) isOneOf(field, FIELDS)
    return question
  } catch (error) {
    throw error instanceof Malformed ? error : new Malformed(error.message)
  }
}

// Numbers have 64 bits on the wire and 53 here: better none than a wrong one.
function isExact(_, value) {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Malformed(`${value} is no exact whole number here`)
  return value
}

function hasKeys(value, table, ...tags) {
  const row = tags.length ? Object.hasOwn(table, value[tags[0]]) && table[value[tags[0]]] : table.world
  if (!row) throw new Malformed(`unknown word: ${value[tags[0]]}`)
  const required = [...tags, ...words(row[0])]
  const allowed = [...required, ...words(row[1] ?? '')]
  const missing = required.find((key) => !Object.hasOwn(value, key))
  const unknown = Object.keys(value).find((key) => !allowed.includes(key))
  if (missing ?? unknown) throw new Malformed(missing ? `the key ${missing} is missing` : `unknown key: ${unknown}`)
}

function isOneOf(word, known) {
  if (!known.includes(word)) throw new Malformed(`unknown word: ${word}`)
}
