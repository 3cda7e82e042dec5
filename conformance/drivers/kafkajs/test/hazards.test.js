'use strict'

// Known hazards of KafkaJS 2.x and the rules around seek, pause and the workers, each
// at both levels: the loop of level 1 has to be the loop of KafkaJS 2.x.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { create, steps, fetchOf, commitOf, expectSteps } = require('./helper.js')

const { begin, round, offsets, refuse, answer, records, empty, join } = steps
const { handlerEnds, seek, pause, resume, commit } = steps
const joinOf = id => ({ id, api: 'join' })
const offsetFetchOf = (id, partitions = [0]) => ({ id, api: 'offset-fetch', partitions })

function atBothLevels(name, body) {
  for (const version of ['2.2.4', '2.3.0-beta.3']) {
    for (const level of [1, 2]) {
      test(`${version}, level ${level}: ${name}`, () => body(create(version, level), level))
    }
  }
}

// Both partitions were read up to 5; both fetchers wait for records from there.
const fetching = changes => [
  [begin(changes)],
  [round(0)],
  [offsets(1, { 0: '5', 1: '5' }), { requests: [fetchOf(2, 0, '5')] }],
  [round(1), { requests: [fetchOf(2, 0, '5'), fetchOf(3, 1, '5')], idle: [] }],
]

// As above, and then the fetcher of node 1 has to join again.
const rejoining = assignment => [
  ...fetching(),
  [refuse(3, 'not-leader'), { requests: [fetchOf(2, 0, '5'), joinOf(4)], idle: [] }],
  [join(4, 2, assignment), { requests: [fetchOf(2, 0, '5')], idle: [1] }],
]

atBothLevels('a commit of everything overwrites a seek in flight', subject =>
  expectSteps(subject, [
    ...fetching({ concurrency: 2 }),
    [records(2, '5', '6'), { handlers: [{ partition: 0, first: '5', last: '6' }] }],
    [records(3, '5', '5')],
    [handlerEnds(0), { requests: [commitOf(4, 1, { 0: '7' })] }],
    [answer(4, {}), { idle: [0] }],
    [round(0), { requests: [fetchOf(5, 0, '7')] }],
    // Only records that the fetch did not ask for: resolved without a handler and a commit.
    [records(5, '1', '2'), { requests: [], idle: [0] }],
    [seek(0, '3')],
    [round(0), { requests: [commitOf(6, 1, { 0: '3' })] }],
    [handlerEnds(1), { requests: [commitOf(6, 1, { 0: '3' }), commitOf(7, 1, { 0: '8', 1: '6' })] }],
    // The broker executes 6 and then 7. The answer to the seek clears partition 0 ...
    [answer(6, {}), { requests: [commitOf(7, 1, { 0: '8', 1: '6' }), offsetFetchOf(8)] }],
    // ... and what it reads again is what the second commit left there: the seek is lost.
    [answer(7, {}), { idle: [1] }],
    [offsets(8, { 0: '8' }), { requests: [fetchOf(9, 0, '8')] }],
  ])
)

atBothLevels('an old out-of-range resets a partition of somebody else', subject =>
  expectSteps(subject, [
    ...rejoining([1]),
    [refuse(2, 'out-of-range'), { requests: [commitOf(5, 2, { 0: '-1' })], idle: [1] }],
    [answer(5, {}), { requests: [], idle: [0, 1], ended: null }],
  ])
)

atBothLevels('old records of a lost partition are handled and committed', subject =>
  expectSteps(subject, [
    ...rejoining([1]),
    [records(2, '5', '6'), { handlers: [{ partition: 0, first: '5', last: '6' }] }],
    [handlerEnds(0), { requests: [commitOf(5, 2, { 0: '7' })] }],
    [answer(5, {}), { idle: [0, 1], ended: null }],
    // The fetcher of node 0 has nothing assigned, yet it resolves the partition of node 1.
    [round(0), { requests: [{ id: 6, api: 'offset-fetch', partitions: [1] }] }],
    [offsets(6, { 1: '5' }), { requests: [], idle: [0, 1] }],
  ])
)

atBothLevels('old records after regaining throw the group back', subject =>
  expectSteps(subject, [
    ...rejoining([1]),
    [round(1), { requests: [fetchOf(2, 0, '5'), { id: 5, api: 'offset-fetch', partitions: [1] }] }],
    [offsets(5, { 1: '5' }), { requests: [fetchOf(2, 0, '5'), fetchOf(6, 1, '5')] }],
    [refuse(6, 'not-leader')],
    [join(7, 3, [0, 1]), { requests: [fetchOf(2, 0, '5')], idle: [1] }],
    // Somebody else has read partition 0 up to 20 meanwhile.
    [round(1), { requests: [fetchOf(2, 0, '5'), offsetFetchOf(8, [0, 1])] }],
    [offsets(8, { 0: '20', 1: '5' })],
    [records(2, '5', '6'), { handlers: [{ partition: 0, first: '5', last: '6' }] }],
    [handlerEnds(0), { requests: [fetchOf(9, 1, '5'), commitOf(10, 3, { 0: '7' })] }],
    [answer(10, {}), { idle: [0] }],
    [round(0), { requests: [fetchOf(9, 1, '5'), fetchOf(11, 0, '7')] }],
  ])
)

atBothLevels('a handler outlives the last assigned partition', async subject => {
  const seen = await expectSteps(subject, [
    ...fetching(),
    [records(2, '5', '6'), { handlers: [{ partition: 0, first: '5', last: '6' }] }],
    [refuse(3, 'not-leader')],
    [join(4, 2, []), { idle: [1], ended: null }],
    [handlerEnds(0), { requests: [], handlers: [], idle: [] }],
  ])
  assert.match(seen.at(-1).ended, /^TypeError: Cannot set properties of undefined/)
})

atBothLevels('a fetcher resolves while the last partition leaves', async subject => {
  const seen = await expectSteps(subject, [
    [begin()],
    [round(0)],
    [round(1), { requests: [offsetFetchOf(1, [0, 1]), offsetFetchOf(2, [0, 1])] }],
    [offsets(2, { 0: '5', 1: '5' }), { requests: [offsetFetchOf(1, [0, 1]), fetchOf(3, 1, '5')] }],
    [refuse(3, 'not-leader')],
    [join(4, 2, [])],
    [offsets(1, { 0: '5', 1: '5' })],
  ])
  assert.match(seen.at(-1).ended, /^TypeError: .*undefined \(reading 'has'\)/)
})

atBothLevels('an offset read under an older assignment fills the shared map', subject =>
  expectSteps(subject, [
    [begin()],
    [round(0)],
    [round(1)],
    [offsets(2, { 0: '5', 1: '5' })],
    [refuse(3, 'not-leader'), { requests: [offsetFetchOf(1, [0, 1]), joinOf(4)] }],
    [join(4, 2, [0, 1]), { requests: [offsetFetchOf(1, [0, 1])] }],
    [offsets(1, { 0: '5', 1: '5' }), { requests: [fetchOf(5, 0, '5')] }],
    [round(1), { requests: [fetchOf(5, 0, '5'), fetchOf(6, 1, '5')] }],
  ])
)

atBothLevels('a pause drops the batch that arrives, and no more is fetched', subject =>
  expectSteps(subject, [
    ...fetching(),
    [pause(0)],
    [records(2, '5', '6'), { requests: [fetchOf(3, 1, '5')], handlers: [], idle: [0] }],
    [round(0), { requests: [fetchOf(3, 1, '5')], idle: [0] }],
    [resume(0)],
    [round(0), { requests: [fetchOf(3, 1, '5'), fetchOf(4, 0, '5')], idle: [] }],
  ])
)

atBothLevels('a pause after the batch arrived does not stop its commit', subject =>
  expectSteps(subject, [
    ...fetching(),
    [records(2, '5', '6')],
    [pause(0)],
    [handlerEnds(0), { requests: [fetchOf(3, 1, '5'), commitOf(4, 1, { 0: '7' })] }],
  ])
)

atBothLevels('the later of two seeks counts, and it drops the batch that arrives', subject =>
  expectSteps(subject, [
    ...fetching(),
    [seek(0, '1')],
    [seek(0, '2')],
    [records(2, '5', '6'), { handlers: [], idle: [0] }],
    [round(0), { requests: [fetchOf(3, 1, '5'), commitOf(4, 1, { 0: '2' })] }],
    [answer(4, {}), { requests: [fetchOf(3, 1, '5'), offsetFetchOf(5)] }],
    [offsets(5, { 0: '2' }), { requests: [fetchOf(3, 1, '5'), fetchOf(6, 0, '2')] }],
  ])
)

atBothLevels('a seek without automatic commits takes no request', subject =>
  expectSteps(subject, [
    ...fetching({ automatic: false }),
    [empty(2), { idle: [0] }],
    [seek(0, '2')],
    [round(0), { requests: [fetchOf(3, 1, '5'), fetchOf(4, 0, '2')] }],
    [records(4, '2', '3')],
    [handlerEnds(0), { requests: [fetchOf(3, 1, '5')], idle: [0] }],
    [round(0), { requests: [fetchOf(3, 1, '5'), fetchOf(5, 0, '4')] }],
  ])
)

atBothLevels('a seek of a partition that is not assigned waits for it', subject =>
  expectSteps(subject, [
    [begin({ assignment: [1] })],
    [seek(0, '2')],
    [round(0), { requests: [offsetFetchOf(1, [1])] }],
    [offsets(1, { 1: '5' }), { requests: [], idle: [0, 1] }],
    [round(1)],
    [refuse(2, 'not-leader')],
    [join(3, 2, [0])],
    [round(0), { requests: [commitOf(4, 2, { 0: '2' })] }],
  ])
)

atBothLevels('with one worker a batch waits, even an empty one', subject =>
  expectSteps(subject, [
    ...fetching(),
    [records(2, '5', '6')],
    [empty(3), { requests: [], idle: [] }],
    [handlerEnds(0), { requests: [commitOf(4, 1, { 0: '7' })], idle: [] }],
    [answer(4, {}), { idle: [0, 1] }],
  ])
)

atBothLevels('a manual commit is sent again by the next automatic one', subject =>
  expectSteps(subject, [
    ...fetching({ concurrency: 2 }),
    [records(2, '5', '6')],
    [handlerEnds(0)],
    [answer(4, {})],
    [commit(0, '7'), { requests: [fetchOf(3, 1, '5'), commitOf(5, 1, { 0: '7' })] }],
    [answer(5, {})],
    // The manual commit has left a Long where the class compares strings.
    [records(3, '5', '5')],
    [handlerEnds(1), { requests: [commitOf(6, 1, { 0: '7', 1: '6' })] }],
  ])
)

atBothLevels('a refused commit ends the loop', async subject => {
  const seen = await expectSteps(subject, [
    ...fetching(),
    [records(2, '5', '6')],
    [handlerEnds(0)],
    [refuse(4, 'illegal-generation'), { ended: 'stopped', requests: [], idle: [] }],
    [round(0)],
  ])
  assert.equal(seen.length, 7, 'a run stops where the loop has ended')
})

atBothLevels('a partition without an offset is looked up at its leader', subject =>
  expectSteps(subject, [
    [begin({ from_beginning: true })],
    [round(0)],
    [
      offsets(1, { 0: '-1', 1: '-1' }),
      {
        requests: [
          { id: 2, api: 'list-offsets', node: 0, partitions: [0] },
          { id: 3, api: 'list-offsets', node: 1, partitions: [1] },
        ],
      },
    ],
    [offsets(3, { 1: '4' })],
    [offsets(2, { 0: '4' }), { requests: [fetchOf(4, 0, '4')] }],
    [refuse(4, 'out-of-range'), { requests: [commitOf(5, 1, { 0: '-2' })] }],
  ])
)

atBothLevels('a step that cannot be taken is named', async subject => {
  const rejects = (list, message) => assert.rejects(subject.run(list), { message })
  await rejects([round(0)], 'a run starts with the step "begin"')
  await rejects([begin(), round(0), round(0)], 'step 2: the fetcher of node 0 is not idle')
  await rejects([begin(), answer(7, {})], 'step 1: no request 7 is outstanding')
  await rejects([begin(), handlerEnds(0)], 'step 1: no handler of partition 0 runs')
  await rejects(
    [begin(), round(0), refuse(1, 'out-of-range')],
    'step 2: a request "offset-fetch" cannot be answered with the error "out-of-range"'
  )
})
