'use strict'

// The whole Consumer over TCP. What the network's times are meant to bring about is asserted, too,
// so that a run in which it did not come about cannot pass.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { PYTHON } = require('../level3/mock_cluster.js')

const PROGRAM = path.join(__dirname, '../level3/level3.js')
const WITHIN_MILLISECONDS = 60000
// A busy machine may bring the times into disorder; then the run says nothing, and is done again.
const ATTEMPTS = 3

const RACE = [{ resolved: 0, cleared: 1 }]
const ALL_OF_BOTH = { reader: { 0: [[52, 59]], 1: [[52, 59]] } }

function runOnce(question) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MILLISECONDS)
    let text = ''
    child.stdout.on('data', part => (text += part))
    child.once('close', () => {
      clearTimeout(timer)
      const { error, ...seen } = text === '' ? { error: 'no answer' } : JSON.parse(text)
      if (error === undefined) resolve(seen)
      else reject(new Error(error))
    })
    child.stdin.end(`${JSON.stringify(question)}\n`)
  })
}

async function run(question, { raced }) {
  let seen
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    seen = await runOnce(question)
    if (seen.is_met && seen.is_raced === raced) break
  }
  assert.ok(seen.is_met, `the times were in disorder ${ATTEMPTS} times`)
  return seen
}

// A test that needs the mock cluster. In continuous integration it has to be there.
function tcpTest(name, body) {
  const missing = existsSync(PYTHON)
    ? false
    : 'the Python package confluent-kafka is missing: run scripts/install-kafkajs.sh'
  test(name, { skip: process.env.CI === 'true' ? false : missing }, body)
}

for (const version of ['1.13.0', '2.2.4']) {
  tcpTest(
    `given_${version}_when_a_partition_is_cleared_while_the_other_is_resolved_should_read_on`,
    async () => {
      const seen = await run({ package: version, schedule: 'seed-race' }, { raced: true })
      assert.deepEqual(seen.overlaps, RACE)
      assert.equal(seen.crash, null)
      assert.equal(seen.breach, null)
      assert.deepEqual(seen.processed, ALL_OF_BOTH)
      assert.deepEqual(seen.committed, { 0: 60, 1: 60 })
    }
  )
}

// Its rounds recover one partition each: the refusal of the other one arrives in time, and is let
// go by. So it is never cleared while the first one is resolved.
tcpTest(
  'given_1.11.0_when_a_partition_is_refused_while_the_other_recovers_should_read_on',
  async () => {
    const seen = await run({ package: '1.11.0', schedule: 'seed-race' }, { raced: false })
    assert.deepEqual(seen.overlaps, [])
    assert.equal(seen.crash, null)
    assert.equal(seen.breach, null)
    assert.deepEqual(seen.processed, ALL_OF_BOTH)
    assert.deepEqual(seen.committed, { 0: 60, 1: 60 })
  }
)

tcpTest(
  'given_1.13.0_without_its_guard_when_a_partition_is_cleared_should_be_seen_to_fetch_from_zero',
  async () => {
    const question = { package: '1.13.0', schedule: 'seed-race', fault: 'without-guard' }
    const seen = await run(question, { raced: true })
    assert.equal(seen.breach, 'p1 is fetched at 0, an offset that nobody has named')
    const unnamed = seen.unnamed_fetches.map(({ partition, offset }) => ({ partition, offset }))
    assert.deepEqual(unnamed, [{ partition: 1, offset: '0' }])
  }
)

tcpTest(
  'given_2.2.4_when_a_handler_outlives_the_loss_of_its_partition_should_move_the_group_back',
  async () => {
    const seen = await run({ package: '2.2.4', schedule: 'regained-partition' }, { raced: true })
    assert.equal(seen.breach, "the group's progress of p0 goes from 12 to 2")
    assert.deepEqual(seen.went_back, { from: 12, to: 2 })
    assert.equal(seen.crash, null)
  }
)
