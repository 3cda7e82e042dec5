'use strict'

// Faults to plant in a version of the package, from outside, to see that a schedule notices them.

const path = require('node:path')

const withEmpty = { get: (target, name) => (name in target ? target[name] : '') }

// Without the guard of #582: the round is told that every partition has an offset. For an offset
// that is not known it is the empty word, which KafkaJS takes for unknown everywhere else.
function withoutGuard(folder) {
  const OffsetManager = require(path.join(folder, 'src/consumer/offsetManager'))
  const original = OffsetManager.prototype.committedOffsets
  const inTopics = { get: (target, name) => target[name] && new Proxy(target[name], withEmpty) }
  OffsetManager.prototype.committedOffsets = function () {
    return new Proxy(original.call(this), inTopics)
  }
}

const FAULTS = { 'without-guard': withoutGuard }

function plant(folder, name) {
  if (!FAULTS[name]) {
    throw new Error(`there is no fault "${name}": ${Object.keys(FAULTS).join(', ')} are known`)
  }
  FAULTS[name](folder)
}

module.exports = { plant }
