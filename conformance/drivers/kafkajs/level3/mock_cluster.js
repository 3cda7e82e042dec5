'use strict'

// The cluster of mock brokers, in a child process: one JSON line for a question, one for its
// answer.

const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')

const PROGRAM = path.join(__dirname, 'mock_cluster.py')
// Where scripts/install-kafkajs.sh puts it.
const PYTHON = path.join(__dirname, '../../../../target/kafkajs-python/bin/python')
const ENDS_WITHIN_MILLISECONDS = 5000

class MockCluster {
  constructor(python = PYTHON) {
    if (!existsSync(python)) {
      const file = path.relative('.', python)
      throw new Error(
        `the Python package confluent-kafka is not installed (there is no ${file}): ` +
          'install Python 3.8 or later with pip, then run scripts/install-kafkajs.sh'
      )
    }
    this.waiting = []
    this.lastErrors = []
    this.child = spawn(python, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.ended = new Promise(resolve => this.child.once('close', resolve))
    this.child.once('error', error => this.fail(error))
    // That it does not read any more, it tells by its end.
    this.child.stdin.on('error', () => {})
    this.child.stderr.on('data', text => this.lastErrors.push(String(text)))
    this.ended.then(() => this.fail(new Error(`it has ended: ${this.lastLine()}`)))
    readline.createInterface({ input: this.child.stdout }).on('line', line => this.answer(line))
  }

  lastLine() {
    return this.lastErrors.join('').trim().split('\n').at(-1)
  }

  answer(line) {
    const { resolve, reject } = this.waiting.shift()
    const { error, ...value } = JSON.parse(line)
    if (error === undefined) resolve(value)
    else reject(new Error(`the mock cluster: ${error}`))
  }

  fail(error) {
    this.problem = this.problem || new Error(`the mock cluster: ${error.message}`)
    for (const { reject } of this.waiting.splice(0)) reject(this.problem)
  }

  ask(command, parameters = {}) {
    if (this.problem) return Promise.reject(this.problem)
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.child.stdin.write(`${JSON.stringify({ do: command, ...parameters })}\n`)
    })
  }

  // The child ends with its input; a child that does not is killed by its number.
  async stop() {
    this.child.stdin.end()
    const timer = setTimeout(() => this.child.kill('SIGKILL'), ENDS_WITHIN_MILLISECONDS)
    await this.ended
    clearTimeout(timer)
  }
}

module.exports = { MockCluster, PYTHON }
