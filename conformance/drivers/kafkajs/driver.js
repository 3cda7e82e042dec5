'use strict'

// Reads JSON lines from standard input and answers each with one JSON line: see README.md.

const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')

const LEVELS = { 1: './level1.js', 2: './level2.js' }

function findPackage(version) {
  const folder = path.join(__dirname, 'node_modules', `kafkajs-${version}`)
  if (!fs.existsSync(path.join(folder, 'package.json'))) {
    throw new Error(`the package kafkajs-${version} is not installed: run "npm ci" beside driver.js`)
  }
  return folder
}

function loadLevel(level) {
  if (!LEVELS[level]) throw new Error(`there is no level ${level}: 1 and 2 are known`)
  try {
    return require(LEVELS[level])
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    const [firstLine] = error.message.split('\n')
    throw new Error(`${firstLine}: run "npm ci" beside driver.js`)
  }
}

function greet({ hello }) {
  if (!hello) throw new Error('the first line has to be {"hello":{"package":...,"level":...}}')
  const folder = findPackage(hello.package)
  const subject = loadLevel(hello.level).create(folder, hello)
  const { version } = require(path.join(folder, 'package.json'))
  const answer = { hello: { driver: 'kafkajs', package: version, node: process.version } }
  return { subject, answer }
}

async function runLine(subject, { run }) {
  try {
    if (!Array.isArray(run)) throw new Error('a line has to be {"run":[...]}')
    return { seen: await subject.run(run) }
  } catch (error) {
    // What was seen before a step that cannot be taken is worth telling.
    return { ...(error.seen && { seen: error.seen }), error: error.message }
  }
}

const say = answer => process.stdout.write(`${JSON.stringify(answer)}\n`)

async function main() {
  let subject = null
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const message = JSON.parse(line)
    if (subject) {
      say(await runLine(subject, message))
    } else {
      const greeting = greet(message)
      subject = greeting.subject
      say(greeting.answer)
    }
  }
}

main().catch(error => {
  say({ error: error.message })
  process.exitCode = 1
  process.stdin.destroy()
})
