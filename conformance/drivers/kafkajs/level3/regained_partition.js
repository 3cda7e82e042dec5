'use strict'

// KafkaJS #1046 over TCP: a handler still has records of partition 0 when another member takes the
// partition over, goes on, and leaves. What the handler has processed is then committed over it.

const { Late } = require('./journal.js')
const { startCluster, startMember } = require('./member.js')

const HELD = 2 // records 0 and 1 go to the handler that is held
const END = 12 // as far as the other member goes
const WITHIN = 20000
const COMMITS_WITHIN = 4000
// The mock coordinator waits a second less than the session time-out for members to join again.
// A heartbeat must not come while it waits: KafkaJS then stops all fetchers and waits for the
// handler, and that way is clean. So the second rebalance begins right after one.
const OPTIONS = {
  consumer: { sessionTimeout: 4000, rebalanceTimeout: 4000, heartbeatInterval: 3500 },
  // The fetcher of partition 1 goes on while the handler of partition 0 runs.
  run: { partitionsConsumedConcurrently: 2 },
}
const FETCH = 1 // api key
const NOT_LEADER = 6 // error code
const ASK_AGAIN_MILLISECONDS = 5000

async function prepare(cluster) {
  const bootstrap = await startCluster(cluster)
  await cluster.ask('produce', { partition: 0, count: HELD })
  return bootstrap
}

// Holds what the reader is given, batch by batch, until the next one is released.
function createHold() {
  const releases = []
  const held = [0, 1].map(() => new Promise(resolve => releases.push(resolve)))
  let given = 0
  const process = () => held[given++]
  return { process, release: () => releases.shift()() }
}

const joinedWith = (client, partitions) => entry =>
  entry.event === 'joined' &&
  entry.client === client &&
  entry.partitions.join() === partitions.join()

// The reader asks to join again when its next fetch of partition 1 is told that node 2 is not the
// leader; again and again, since the other member's request may come too late for the first time.
async function rejoin({ cluster, journal }, partitions, from) {
  const isJoined = joinedWith('reader', partitions)
  const end = Date.now() + WITHIN
  const what = `the reader joins with ${partitions}`
  for (;;) {
    await cluster.ask('fail', { broker: 2, api: FETCH, error: NOT_LEADER })
    try {
      return await journal.when(isJoined, { from, within: ASK_AGAIN_MILLISECONDS, what })
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

// Whether a commit of partition 0 was answered without an error.
const hasCommitted = entries =>
  entries
    .filter(({ event, api, offsets }) => event === 'sent' && api === 'commit' && '0' in offsets)
    .some(commit =>
      entries.some(
        ({ event, request, error }) => event === 'answered' && request === commit.request && !error
      )
    )

// Waits until that member has committed, and notes what the cluster then has.
async function noteStored({ cluster, journal }, client, from) {
  const look = () =>
    hasCommitted(journal.entries.slice(from).filter(entry => entry.client === client))
  try {
    await journal.until(look, { within: COMMITS_WITHIN, what: `a commit of the ${client}` })
  } catch (error) {
    // A reader that drops what is stale does not commit: that is not the end of the run.
    if (!(error instanceof Late)) throw error
  }
  const { offsets } = await cluster.ask('committed')
  journal.note('stored', { offset: offsets[0] })
}

async function otherMemberGoesOn(parts, member) {
  const { cluster, journal } = parts
  const from = journal.entries.length
  await cluster.ask('produce', { partition: 0, count: END - HELD })
  const starting = startMember({ ...member, client: 'other', process: async () => {} })
  await rejoin(parts, [1], from)
  const disconnect = await starting
  await noteStored(parts, 'other', from)
  const beats = ({ event, client }) => event === 'heartbeat' && client === 'reader'
  await journal.when(beats, { from, within: WITHIN, what: 'a heartbeat of the reader' })
  await disconnect()
}

async function run(parts) {
  const { cluster, journal } = parts
  const bootstrap = await prepare(cluster)
  const hold = createHold()
  const member = { ...parts, bootstrap, options: OPTIONS, taker: 'other' }
  const disconnect = await startMember({ ...member, client: 'reader', process: hold.process })
  const begins = ({ event }) => event === 'handler-begins'
  await journal.when(begins, { within: WITHIN, what: 'records of partition 0' })

  await otherMemberGoesOn(parts, member)
  const from = journal.entries.length
  await rejoin(parts, [0, 1], from)
  hold.release()
  await noteStored(parts, 'reader', from)
  hold.release()
  await disconnect()
}

// Whether the partition was lost, taken up by the other member, and regained, all while the
// handler still had its records.
function isMet(entries) {
  const ways = [
    ({ event, client }) => event === 'handler-begins' && client === 'reader',
    joinedWith('reader', [1]),
    ({ event, offset }) => event === 'stored' && offset === END,
    joinedWith('reader', [0, 1]),
    ({ event, client }) => event === 'handler-ends' && client === 'reader',
  ]
  // Each after the one before; the first handler that ends is the one that was held.
  const held = entries.findIndex(ways[4])
  let index = -1
  return ways.every(isIt => {
    index = entries.findIndex((entry, later) => later > index && isIt(entry))
    return index >= 0 && index <= held
  })
}

// Where the group's progress of partition 0, as the cluster has it, is less than it was before.
function wentBack(entries) {
  const stored = entries.filter(({ event }) => event === 'stored').map(({ offset }) => offset)
  const index = stored.findIndex((offset, later) => later > 0 && offset < stored[later - 1])
  return index < 0 ? null : { from: stored[index - 1], to: stored[index] }
}

function judge({ entries }) {
  const isInOrder = isMet(entries)
  const back = wentBack(entries)
  return {
    is_met: isInOrder,
    is_raced: isInOrder,
    breach: back && `the group's progress of p0 goes from ${back.from} to ${back.to}`,
    went_back: back,
  }
}

module.exports = { run, judge }
