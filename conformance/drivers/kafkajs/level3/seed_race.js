'use strict'

// KafkaJS #578 over TCP: both partitions are purged below what the group has committed, and the
// round trips are such that partition 1 is cleared while partition 0 is being resolved.

const { startCluster, startMember } = require('./member.js')

const COMMITTED = 10
const FIRST_LEFT = 52
const END = 60
const ROUND_TRIPS = { 1: 100, 2: 200 } // milliseconds, by broker
const WITHIN = 20000

async function prepare(cluster) {
  const bootstrap = await startCluster(cluster)
  for (const partition of [0, 1]) await cluster.ask('produce', { partition, count: END })
  await cluster.ask('commit', { offsets: { 0: COMMITTED, 1: COMMITTED } })
  for (const partition of [0, 1]) {
    await cluster.ask('delete-records', { partition, before: FIRST_LEFT })
  }
  for (const [broker, milliseconds] of Object.entries(ROUND_TRIPS)) {
    await cluster.ask('round-trip', { broker: Number(broker), milliseconds })
  }
  return bootstrap
}

const isReset = offset => offset === '-1' || offset === '-2'

const questionOf = (entries, { request }) =>
  entries.find(entry => entry.event === 'sent' && entry.request === request)

// Whether the entry says that the offset of the partition is forgotten: its reset is acknowledged.
function isClearOf(entries, entry, partition) {
  if (entry.event !== 'answered' || entry.api !== 'commit' || entry.error) return false
  return isReset(questionOf(entries, entry).offsets[partition])
}

const isRefusalOf = (entries, entry, partition) =>
  entry.error === 'OFFSET_OUT_OF_RANGE' && partition in questionOf(entries, entry).offsets

const isFetchOf = ({ event, api, offsets }, partition, least) =>
  event === 'sent' && api === 'fetch' && Number(offsets[partition]) >= least

// The resolve windows of a partition that was cleared: from the question where the group is, which
// does not ask for the other partition, to the fetch that uses what came of it.
function windowsOf(entries, partition, other) {
  const cleared = entries.findIndex(entry => isClearOf(entries, entry, partition))
  if (cleared < 0) return []
  const begins = ({ event, api, partitions }) =>
    event === 'sent' &&
    api === 'offset-fetch' &&
    partitions.includes(partition) &&
    !partitions.includes(other)
  return entries.flatMap((entry, begin) => {
    if (begin < cleared || !begins(entry)) return []
    const rest = entries.slice(begin)
    const end = rest.findIndex(later => isFetchOf(later, partition, 0))
    return [end < 0 ? rest : rest.slice(0, end)]
  })
}

// Which partition was cleared while which one was being resolved: the race is on if there is one.
function overlapsOf(entries) {
  const pairs = [
    { resolved: 0, cleared: 1 },
    { resolved: 1, cleared: 0 },
  ]
  return pairs.filter(({ resolved, cleared }) =>
    windowsOf(entries, resolved, cleared).some(window =>
      window.some(entry => isClearOf(entries, entry, cleared))
    )
  )
}

// Whether the round trips did what they are for: the refusal of partition 1 arrives when partition
// 0 was refused and is not resolved yet. A consumer that takes it up at once is in the race.
function isMet(entries) {
  const refused = partition => entries.findIndex(entry => isRefusalOf(entries, entry, partition))
  const resolved = entries.findIndex(entry => isFetchOf(entry, 0, FIRST_LEFT))
  return refused(0) >= 0 && refused(0) < refused(1) && (resolved < 0 || refused(1) < resolved)
}

// Fetches at an offset that nobody has named: neither the group's commit nor the log's beginning.
const unnamedFetches = entries =>
  entries
    .filter(({ event, api }) => event === 'sent' && api === 'fetch')
    .flatMap(({ request, offsets }) =>
      Object.entries(offsets)
        .filter(([, offset]) => Number(offset) !== COMMITTED && Number(offset) < FIRST_LEFT)
        .map(([partition, offset]) => ({ request, partition: Number(partition), offset }))
    )

const commitsTheEnd = partition => entry =>
  entry.event === 'sent' && entry.api === 'commit' && entry.offsets[partition] === String(END)

// Everything is processed and its commit answered, or the consumer is down for good.
function isOver(entries) {
  if (entries.some(({ event, restarts }) => event === 'crashed' && !restarts)) return true
  return [0, 1].every(partition => {
    const commit = entries.find(commitsTheEnd(partition))
    const answers = ({ event, request }) => event === 'answered' && request === commit.request
    return commit !== undefined && entries.some(answers)
  })
}

async function run({ cluster, library, journal }) {
  const bootstrap = await prepare(cluster)
  const disconnect = await startMember({
    library,
    journal,
    bootstrap,
    client: 'reader',
    options: { consumer: {}, run: {} },
    process: async () => {},
  })
  const waited = { within: WITHIN, what: 'both partitions processed and committed' }
  await journal.until(() => isOver(journal.entries), waited)
  for (const broker of [1, 2]) await cluster.ask('round-trip', { broker, milliseconds: 0 })
  await disconnect()
}

function breachOf(crash, unnamed) {
  if (crash !== null) return `the consumer crashes: ${crash}`
  if (unnamed.length === 0) return null
  const { partition, offset } = unnamed[0]
  return `p${partition} is fetched at ${offset}, an offset that nobody has named`
}

const judge = ({ entries, crash }) => {
  const unnamed = unnamedFetches(entries)
  const overlaps = overlapsOf(entries)
  return {
    is_met: isMet(entries),
    is_raced: overlaps.length > 0,
    breach: breachOf(crash, unnamed),
    overlaps,
    unnamed_fetches: unnamed,
  }
}

module.exports = { run, judge }
