'use strict'

// Level 3: the whole, unmodified Consumer over TCP on loopback, against a cluster of mock brokers.
// A line on standard input names the version and the schedule, a line on standard output tells
// what was seen: see ../README.md. One run for each process: the watching is never undone.

const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')
const { plant } = require('./faults.js')
const { Journal, Late } = require('./journal.js')
const { MockCluster } = require('./mock_cluster.js')

const SCHEDULES = {
  'seed-race': require('./seed_race.js'),
  'regained-partition': require('./regained_partition.js'),
}

function folderOf(version) {
  const folder = path.join(__dirname, '..', 'node_modules', `kafkajs-${version}`)
  if (!fs.existsSync(path.join(folder, 'package.json'))) {
    throw new Error(
      `the package kafkajs-${version} is not installed: run scripts/install-kafkajs.sh`
    )
  }
  return folder
}

function scheduleOf(name) {
  const known = Object.keys(SCHEDULES).join(', ')
  if (!SCHEDULES[name]) throw new Error(`there is no schedule "${name}": ${known} are known`)
  return SCHEDULES[name]
}

// The batches that were processed of each partition, by each member: first and last record.
function processedOf(entries) {
  const processed = {}
  for (const { event, client, partition, offsets } of entries) {
    if (event !== 'handler-ends') continue
    const partitions = (processed[client] = processed[client] || {})
    partitions[partition] = [...(partitions[partition] || []), offsets.map(Number)]
  }
  return processed
}

const crashOf = entries => {
  const crash = entries.find(({ event }) => event === 'crashed')
  return crash ? crash.error : null
}

// Runs a schedule; gives what keeps it from its end, if something does.
async function unfinished(schedule, parts) {
  try {
    await schedule.run(parts)
    return null
  } catch (error) {
    if (!(error instanceof Late)) throw error
    return error.message
  }
}

async function run({ package: version, schedule: name, fault, python }) {
  const folder = folderOf(version)
  const schedule = scheduleOf(name)
  if (fault) plant(folder, fault)
  const library = require(folder)
  const journal = new Journal()
  journal.watch(folder)
  const cluster = new MockCluster(python)
  try {
    const reason = await unfinished(schedule, { cluster, library, journal })
    const { offsets } = await cluster.ask('committed')
    if (journal.problem) throw journal.problem
    const entries = [...journal.entries]
    const crash = crashOf(entries)
    return {
      schedule: name,
      package: require(path.join(folder, 'package.json')).version,
      node: process.version,
      ...schedule.judge({ entries, crash }),
      crash,
      unfinished: reason,
      processed: processedOf(entries),
      committed: offsets,
      events: entries,
    }
  } finally {
    await cluster.stop()
  }
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    return run(JSON.parse(line))
  }
  throw new Error('there is no line on standard input')
}

const say = (answer, code) =>
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(code))

main().then(
  answer => say(answer, 0),
  error => say({ error: error.message }, 1)
)
