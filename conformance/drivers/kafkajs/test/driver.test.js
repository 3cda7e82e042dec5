'use strict'

// The driver as another program sees it: lines in, lines out.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { test } = require('node:test')

const DRIVER = path.join(__dirname, '..', 'driver.js')

function talk(...lines) {
  const input = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  const { stdout, status } = spawnSync(process.execPath, [DRIVER], { input, encoding: 'utf8' })
  const answers = stdout.trim().split('\n').map(line => JSON.parse(line))
  return { answers, status }
}

const hello = (version, level) => ({ hello: { package: version, level } })
const begin = {
  do: 'begin',
  assignment: [0],
  automatic: true,
  from_beginning: false,
  concurrency: 1,
}

for (const level of [1, 2]) {
  test(`level ${level}: greets, and starts every run anew`, () => {
    const round = { do: 'round', node: 0, offsets_for: [0] }
    const { answers, status } = talk(
      hello('2.2.4', level),
      { run: [begin, round] },
      { run: [round] },
      { run: [begin, round] }
    )
    const [greeting, first, refused, second] = answers
    assert.deepEqual(greeting, {
      hello: { driver: 'kafkajs', package: '2.2.4', node: process.version },
    })
    assert.equal(first.seen.length, 2)
    assert.deepEqual(first.seen[1].requests, [{ id: 1, api: 'offset-fetch', partitions: [0] }])
    assert.deepEqual(refused, { error: 'a run starts with the step "begin"' })
    assert.deepEqual(second, first)
    assert.equal(status, 0)
  })
}

function isRefused(name, message, greeting) {
  test(name, () => {
    const { answers, status } = talk(greeting)
    assert.equal(answers.length, 1)
    assert.match(answers[0].error, message)
    assert.equal(status, 1)
  })
}

isRefused('a package that is not installed', /kafkajs-0\.0\.0 is not.*npm ci/, hello('0.0.0', 1))
isRefused('a level that does not exist', /no level 3/, hello('2.2.4', 3))
isRefused('1.x at level 2', /1\.16\.0: the loop of 1\.x is one round/, hello('1.16.0', 2))
isRefused('a line that is not a greeting', /the first line has to be/, { run: [] })
