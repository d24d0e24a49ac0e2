import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type RunK6Options, runK6 } from './run-k6.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'breakwater-run-k6-'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  endScript()
  rmSync(folder, { recursive: true })
})

test('saves both outputs and explains the exit code', async () => {
  const run = await runScript('console.log("out"); console.error("err"); process.exitCode = 99')
  expect(run).toMatchObject({
    exitCode: 99,
    signal: null,
    reason: 'finished',
    meaning: 'a threshold was crossed',
  })
  expect(run.finishedAtMs).toBeGreaterThanOrEqual(run.startedAtMs)
  expect([kept('stdout'), kept('stderr')]).toEqual(['out\n', 'err\n'])
})

test('passes on each line of both outputs', async () => {
  const lines: string[] = []
  await runScript('console.log("a\\nb"); console.error("c")', { onLine: (line) => lines.push(line) })
  expect(lines.sort()).toEqual(['a', 'b', 'c'])
})

test('lets k6 exit after SIGINT', async () => {
  const script = `process.on('SIGINT', () => process.exit(105)); ${READY}`
  const run = await runScript(script, abortOn('ready'))
  expect(run).toMatchObject({
    exitCode: 105,
    signal: null,
    reason: 'interrupted',
    meaning: 'ended by a signal',
  })
})

test('sends SIGTERM if SIGINT does not end k6 in time, then SIGKILL', async () => {
  const run = await runScript(`${ON_SIGNAL}; ${READY}`, abortOn('ready'))
  expect(run).toMatchObject({
    exitCode: null,
    signal: 'SIGKILL',
    reason: 'interrupted',
    meaning: 'killed by SIGKILL',
  })
  expect(kept('stdout')).toBe('ready\nSIGINT\nSIGTERM\n')
})

test('stops the run at the deadline', async () => {
  const options = { onLine: (line: string) => void (line === 'ready' && vi.advanceTimersByTime(DEADLINE_MS)) }
  const run = await runScript(READY, options)
  expect(run).toMatchObject({
    exitCode: null,
    signal: 'SIGINT',
    reason: 'deadline',
    meaning: 'killed by SIGINT',
  })
})

test('ends at once if aborted before', async () => {
  const run = await runScript(LIVE, { signal: AbortSignal.abort() })
  expect(run).toMatchObject({ exitCode: null, reason: 'interrupted' })
})

test('saves a flood of output completely', async () => {
  await runScript('const mebi = "x".repeat(2 ** 20); for (let n = 0; n < 32; n++) process.stdout.write(mebi)')
  expect(statSync(join(folder, 'stdout')).size).toBe(32 * 2 ** 20)
})

test.runIf(process.platform === 'linux')('lets k6 continue when the disk is full', async () => {
  const script = 'console.log("x".repeat(1e6)); console.log("y"); process.exitCode = 99'
  expect(await runScript(script, { stdoutFile: '/dev/full' })).toMatchObject({
    exitCode: 99,
    reason: 'finished',
  })
})

test.runIf(process.platform === 'linux')(
  'starts k6 in a process group of its own, out of reach of Ctrl-C',
  async () => {
    // proc(5): after the command's name, /proc/self/stat has state, parent and process group.
    const script = `
    import { readFileSync } from 'node:fs'
    const [, , group] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
    console.log(group === String(process.pid))`
    await runScript(script)
    expect(kept('stdout')).toBe('true\n')
  },
)

test('adds no exit listener for each k6, since Node warns of a leak at the eleventh', async () => {
  const once = vi.spyOn(process, 'once')
  onTestFinished(() => void once.mockRestore())
  await runScript('')
  expect(once.mock.calls.filter(([event]) => String(event) === 'exit')).toEqual([])
})

test('gives k6 no K6_ settings of the shell, and two of its own', async () => {
  const script =
    'console.log(JSON.stringify(Object.entries(process.env).filter(([name]) => /^(K6_|MINE)/.test(name)).sort()))'
  await runScript(script, { env: { ...process.env, K6_VUS: '100', K6_OUT: 'cloud', MINE: 'x' } })
  expect(JSON.parse(kept('stdout'))).toEqual([
    ['K6_AUTO_EXTENSION_RESOLUTION', 'false'],
    ['K6_NO_USAGE_REPORT', 'true'],
    ['MINE', 'x'],
  ])
})

test('names the program that could not be started', async () => {
  await expect(runScript('', { binary: join(folder, 'k6') })).rejects.toMatchObject({
    message: `k6 could not be started: ${join(folder, 'k6')}`,
    hint: 'Run the command again to rebuild k6, or set BREAKWATER_K6 to a k6 binary that runs on this machine.',
    exitCode: 3,
  })
})

const DEADLINE_MS = 60_000
const GRACE_MS = 10_000

// Longer than any test, but finite, in case the tests are killed.
const LIVE = 'setTimeout(() => {}, 60_000)'
const READY = `console.log("ready"); ${LIVE}`
const ON_SIGNAL = 'for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => console.log(signal))'

const TELL_PID = "(await import('node:fs')).writeFileSync('pid', String(process.pid))"

/** A script outlives a test that failed. Stops it only if the process is still the script: folders are unique. */
function endScript(): void {
  try {
    const pid = kept('pid')
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)) process.kill(Number(pid), 'SIGKILL')
  } catch {
    // Never started, or already exited.
  }
}

// A Node script replaces k6: a shell would have a grandchild that keeps the pipes open.
function runScript(source: string, options: Partial<RunK6Options> = {}) {
  const script = join(folder, 'k6.mjs')
  writeFileSync(script, `${TELL_PID}\n${source}`)
  return runK6({
    binary: process.execPath,
    args: [script],
    env: process.env,
    cwd: folder,
    deadlineMs: DEADLINE_MS,
    graceMs: GRACE_MS,
    stdoutFile: join(folder, 'stdout'),
    stderrFile: join(folder, 'stderr'),
    ...options,
  })
}

// Aborts when the script reports that it is ready. Each signal that it survives uses up its grace time; only then the
// test's clock advances.
function abortOn(ready: string): Pick<RunK6Options, 'signal' | 'onLine'> {
  const abort = new AbortController()
  const onLine = (line: string) => {
    if (line === ready) abort.abort()
    else vi.advanceTimersByTime(GRACE_MS)
  }
  return { signal: abort.signal, onLine }
}

function kept(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}
