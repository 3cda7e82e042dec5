'use strict'

// KafkaJS #578: while one partition is being resolved, the other one loses its offset.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { create, steps, fetchOf, commitOf, expectSteps } = require('./helper.js')

const { begin, round, offsets, refuse, answer, join } = steps
const BOTH = [0, 1]
const offsetFetchOf = (id, partitions = [0]) => ({ id, api: 'offset-fetch', partitions })

const race = [
  [begin()],
  [round(0, BOTH), { requests: [{ id: 1, api: 'offset-fetch', partitions: [0, 1] }] }],
  [offsets(1, { 0: '1', 1: '1' }), { requests: [fetchOf(2, 0, '1')] }],
  [round(1, BOTH), { requests: [fetchOf(2, 0, '1'), fetchOf(3, 1, '1')], idle: [] }],
  [refuse(2, 'out-of-range'), { requests: [fetchOf(3, 1, '1'), commitOf(4, 1, { 0: '-1' })] }],
  [answer(4, {}), { idle: [0] }],
  [round(0, BOTH)],
  [refuse(3, 'out-of-range')],
  [answer(6, {}), { requests: [{ id: 5, api: 'offset-fetch', partitions: [0] }], idle: [1] }],
]
const last = offsets(5, { 0: '5' })

for (const version of ['1.11.0', '1.12.0']) {
  test(`${version}, level 1: the class throws`, async () => {
    const seen = await expectSteps(create(version, 1), [
      ...race,
      [last, { committed: { 0: '5' }, resolved: { 0: '5', 1: null } }],
    ])
    assert.match(seen.at(-1).ended, /^TypeError: .*undefined \(reading 'low'\)/)
  })
}

for (const version of ['1.13.0', '1.16.0', '2.2.4', '2.3.0-beta.3']) {
  test(`${version}, level 1: the class answers and the loop goes on`, async () => {
    await expectSteps(create(version, 1), [
      ...race,
      [last, { ended: null, resolved: { 0: '5', 1: null }, requests: [fetchOf(7, 0, '5')] }],
    ])
  })

  // The fetch of node 0 asks only for partition 0, so the 0 for partition 1 shows in the class.
  test(`${version}: the class answers 0 for a partition without an offset`, () => {
    const OffsetManager = require(`kafkajs-${version}/src/consumer/offsetManager`)
    const shared = {}
    const cluster = { committedOffsets: () => shared }
    const memberAssignment = { topic: [1] }
    const manager = new OffsetManager({ cluster, memberAssignment, groupId: 'group' })
    assert.equal(manager.nextOffset('topic', 1).toString(), '0')
  })
}

test('2.2.4, level 1 with the guard: the other partition is left alone', async () => {
  await expectSteps(create('2.2.4', 1, { guard: true }), [
    ...race,
    [last, { ended: null, resolved: { 0: '5' }, requests: [fetchOf(7, 0, '5')] }],
  ])
})

for (const version of ['2.2.4', '2.3.0-beta.3']) {
  test(`${version}, level 2: no crash`, async () => {
    await expectSteps(create(version, 2), [
      ...race,
      [last, { ended: null, requests: [fetchOf(7, 0, '5')] }],
    ])
  })
}

// The same hole in the loop of 2.x: the fetcher of node 1 looks partition 0 up, a rejoin by the
// other fetcher empties the shared map, and the old answer brings partition 0 only.
const rejoin = [
  [begin()],
  [round(0)],
  [offsets(1, { 0: '5', 1: '5' })],
  [refuse(2, 'out-of-range')],
  [answer(3, {})],
  [round(0)],
  [round(1), { requests: [offsetFetchOf(4), offsetFetchOf(5)] }],
  [offsets(4, { 0: '7' })],
  [refuse(6, 'not-leader')],
  [join(7, 2, BOTH), { requests: [offsetFetchOf(5)], idle: [0] }],
]
const lateAnswer = offsets(5, { 0: '7' })

test('1.11.0, level 1: a rejoin during the look-up makes the class throw', async () => {
  const seen = await expectSteps(create('1.11.0', 1), [...rejoin, [lateAnswer]])
  assert.match(seen.at(-1).ended, /^TypeError: .*undefined \(reading 'low'\)/)
})

for (const version of ['1.13.0', '2.2.4']) {
  test(`${version}, level 1: a rejoin during the look-up makes it fetch from 0`, async () => {
    await expectSteps(create(version, 1), [
      ...rejoin,
      [lateAnswer, { requests: [fetchOf(8, 1, '0')], idle: [0] }],
    ])
  })
}

test('2.2.4, level 2: the guard leaves that partition out until the next round', async () => {
  await expectSteps(create('2.2.4', 2), [
    ...rejoin,
    [lateAnswer, { requests: [], idle: [0, 1] }],
    [round(1), { requests: [offsetFetchOf(8, [1])] }],
  ])
})
