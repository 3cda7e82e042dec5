'use strict'

// The loop of level 1 is ours, that of level 2 is KafkaJS itself: on random steps both have to
// give the same observations, once level 1 has the guard of 2.x.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { create, steps } = require('./helper.js')

const RUNS = Number(process.env.RUNS || 100)
const LENGTH = 40

// A small generator of random numbers: a failing seed can be run again.
function createRandom(seed) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const below = limit => Math.floor(next() * limit)
  return { below, pick: list => list[below(list.length)], chance: share => next() < share }
}

const ASSIGNMENTS = [[0, 1], [0, 1], [0], [1], []]

function answerTo({ id, api, partitions, offsets }, random, world) {
  const some = lowest => String(lowest + random.below(6))
  const each = lowest => Object.fromEntries(partitions.map(partition => [partition, some(lowest)]))
  if (api === 'offset-fetch') return steps.offsets(id, each(random.chance(0.2) ? -1 : 0))
  if (api === 'list-offsets') return steps.offsets(id, each(0))
  if (api === 'join') return steps.join(id, ++world.generation, random.pick(ASSIGNMENTS))
  if (api === 'commit') {
    return random.chance(0.03) ? steps.refuse(id, 'illegal-generation') : steps.answer(id, {})
  }

  const [fetched] = Object.values(offsets).map(Number)
  const first = Math.max(0, fetched - (random.chance(0.1) ? 3 : 0))
  const last = first + random.below(3)
  return random.pick([
    steps.records(id, String(first), String(last)),
    steps.records(id, String(first), String(last)),
    steps.empty(id),
    steps.refuse(id, 'out-of-range'),
    steps.refuse(id, 'not-leader'),
  ])
}

function nextStep({ requests, handlers, idle }, random, world) {
  const possible = [
    ...requests.map(request => () => answerTo(request, random, world)),
    ...handlers.map(({ partition }) => () => steps.handlerEnds(partition)),
    ...idle.map(node => () => steps.round(node)),
  ]
  if (random.chance(0.15) || possible.length === 0) {
    const partition = random.below(2)
    const offset = String(random.below(6))
    return random.pick([
      steps.seek(partition, offset),
      steps.pause(partition),
      steps.resume(partition),
      steps.commit(partition, offset),
    ])
  }
  return random.pick(possible)()
}

// Level 1 is quick enough to run the steps so far again in order to choose the next one.
async function randomSteps(subject, random) {
  const world = { generation: 1 }
  const chosen = [
    steps.begin({
      assignment: random.pick(ASSIGNMENTS),
      automatic: random.chance(0.8),
      from_beginning: random.chance(0.5),
      concurrency: 1 + random.below(2),
    }),
  ]
  while (chosen.length < LENGTH) {
    const last = (await subject.run(chosen)).at(-1)
    if (last.ended !== null) break
    chosen.push(nextStep(last, random, world))
  }
  return chosen
}

const shared = ({ requests, handlers, idle, ended }) => ({ requests, handlers, idle, ended })

for (const version of ['2.2.4', '2.3.0-beta.3']) {
  test(`${version}: both levels see the same on ${RUNS} random runs`, async () => {
    const alone = create(version, 1, { guard: true })
    const whole = create(version, 2)
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const chosen = await randomSteps(alone, createRandom(seed))
      const expected = (await whole.run(chosen)).map(shared)
      const seen = (await alone.run(chosen)).map(shared)
      assert.deepEqual(seen, expected, `seed ${seed}: ${JSON.stringify(chosen)}`)
    }
  })
}
