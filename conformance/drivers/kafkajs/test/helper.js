'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')

const LEVELS = { 1: require('../level1.js'), 2: require('../level2.js') }
const folderOf = version => path.join(__dirname, '..', 'node_modules', `kafkajs-${version}`)

const create = (version, level, options) => LEVELS[level].create(folderOf(version), options)

const begin = (changes = {}) => ({
  do: 'begin',
  assignment: [0, 1],
  automatic: true,
  from_beginning: false,
  concurrency: 1,
  ...changes,
})
const round = (node, offsetsFor = [node]) => ({ do: 'round', node, offsets_for: offsetsFor })
const answer = (request, value) => ({ do: 'answer', request, value })
const refuse = (request, error) => ({ do: 'answer', request, error })
const offsets = (request, values) => answer(request, { offsets: values })
const records = (request, first, last) => answer(request, { records: [first, last] })
const empty = request => answer(request, { records: null })
const join = (request, generation, assignment) => answer(request, { generation, assignment })
const handlerEnds = partition => ({ do: 'handler-ends', partition })
const seek = (partition, offset) => ({ do: 'seek', partition, offset })
const pause = partition => ({ do: 'pause', partition })
const resume = partition => ({ do: 'resume', partition })
const commit = (partition, offset) => ({ do: 'commit', partition, offset })

const steps = {
  begin,
  round,
  answer,
  refuse,
  offsets,
  records,
  empty,
  join,
  handlerEnds,
  seek,
  pause,
  resume,
  commit,
}

const fetchOf = (id, node, offset) => ({ id, api: 'fetch', node, offsets: { [node]: offset } })
const commitOf = (id, generation, committed) => ({
  id,
  api: 'commit',
  generation,
  offsets: committed,
})

// Runs steps given as pairs of a step and what to expect after it: a part of the observation.
async function expectSteps(subject, pairs) {
  const seen = await subject.run(pairs.map(([step]) => step))
  pairs.forEach(([step, expected = {}], index) => {
    for (const [name, value] of Object.entries(expected)) {
      const where = `${name} after step ${index}, ${JSON.stringify(step)}`
      assert.ok(seen[index], `no observation: ${where}`)
      assert.deepEqual(seen[index][name], value, where)
    }
  })
  return seen
}

module.exports = { create, steps, fetchOf, commitOf, expectSteps }
