// The standard output of the real command.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { projectPath } from './project.ts'

const COMMAND = projectPath('scripts/breakwater.mjs')
const ANY_PORTS = ['--port', '0', '--feed-port', '0', '--control-port', '0']

test
  .runIf(process.platform === 'linux')
  .each([
    'smoke --list-rules',
    'chain --world tiny --blocks 1',
    'stub --port 0 --feed-port 0 --control-port 0',
  ])('`breakwater %s` without a writable output explains it and exits with 3', (line) => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...line.split(' ')], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  expect(stderr).toBe(
    'breakwater: standard output cannot be written: ENOSPC\n  The destination must be writable and have room.\n',
  )
  expect(status).toBe(3)
})

test.each([
  ['begins to listen', ['on'], 2], // breakwater.mjs did so first
  ['takes its first listener away', ['off', 'removeListener', 'removeAllListeners'], 1],
])('Ctrl-C at the moment when the command %s is heard', (_, calls, nth) => {
  const preload = `
    let count = 0
    for (const name of ${JSON.stringify(calls)}) {
      const call = process[name]
      process[name] = function (signal, ...rest) {
        if (signal === 'SIGINT' && ++count === ${nth}) process.kill(process.pid, 'SIGINT')
        return call.call(this, signal, ...rest)
      }
    }`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, COMMAND, 'stub', ...ANY_PORTS],
    { encoding: 'utf8', timeout: 30_000 },
  )
  expect({ status, stderr }).toEqual({
    status: 130,
    stderr: 'breakwater: interrupted before any run started\n',
  })
})

test('a closed reader is not an error', async () => {
  const child = spawn(process.execPath, [COMMAND, 'smoke', '--list-rules', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const exitCode = await new Promise((done) => child.on('close', done))
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 0],
  ['SIGHUP', 130],
] as const)('`breakwater stub` ends at %s with %i', async (signal, expected) => {
  const child = spawn(process.execPath, [COMMAND, 'stub', ...ANY_PORTS], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.once('data', () => child.kill(signal))
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const exitCode = await new Promise((done) => child.on('close', done))
  expect({ exitCode, stderr }).toEqual({ exitCode: expected, stderr: '' })
})

test('an uncaught error ends it with one message, without control characters', () => {
  // At its first line, when the stub is up, however slow the machine is.
  const thrown = `
    const { write } = process.stdout
    process.stdout.write = function (...args) {
      setTimeout(() => { throw new Error('odd \\x1b[31m one') })
      return write.apply(this, args)
    }`
  const { status, stderr } = spawnSync(
    process.execPath,
    [COMMAND, 'stub', '--port=0', '--feed-port=0', '--control-port=0'],
    {
      env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrown)}` },
      encoding: 'utf8',
    },
  )
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr:
      'breakwater: internal error: odd \\u001b[31m one\n  Please report it with the command line. BREAKWATER_DEBUG=1 shows the stack trace.\n',
  })
})
