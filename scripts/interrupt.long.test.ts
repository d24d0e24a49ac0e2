// Interrupts the real command while its probes wait for a minute of real time.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { reportSchema } from '../contract/report.ts'
import { runSchema } from '../contract/run.ts'
import { givenStub } from '../tools/test/given-stub.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { sampleNames } from '../tools/test/tree-sample.ts'
import { projectPath } from './project.ts'

const RUN_MS_MAX = 120_000
const THRICE = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

test.each(sampleNames(THRICE, 1))(
  'ends at %s with exit code 130, a report that says so, and no process left',
  { timeout: RUN_MS_MAX },
  async (signal) => {
    const dir = temporaryFolder()
    const out = join(dir, 'run')
    const { exitCode, stderr } = await smokeUntilFirstFinding({ dir, out, signals: [signal] })

    expect(exitCode).toBe(130)
    expect(stderr).toContain('interrupted: writing the report; Ctrl-C again ends at once\n')
    const run = runSchema.parse(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')))
    expect(run.state).toBe('interrupted')
    const report = reportSchema.parse(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')))
    expect([report.verdict, report.exitCode]).toEqual(['interrupted', 130])
    expect(report.rules.some(({ verdict }) => verdict === 'inconclusive')).toBe(true)
    expect(report.generator.complete).toBe(true)
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['report.html', 'junit.xml', 'summary.md']))
    expect(processesThatName(out)).toEqual([])
  },
)

test('ends at once at the third signal, and leaves no load and no secret', {
  timeout: RUN_MS_MAX,
}, async () => {
  const dir = temporaryFolder()
  const out = join(dir, 'run')
  const temporary = join(dir, 'tmp')
  mkdirSync(temporary)
  const env = { TMPDIR: temporary, BREAKWATER_K6: stubbornK6(dir) }
  const { signal, stdout } = await smokeUntilFirstFinding({ dir, out, signals: THRICE, env })

  expect([signal, stdout]).toEqual(['SIGINT', ''])
  await vi.waitFor(() => expect(processesThatName(out)).toEqual([]))
  expect(readdirSync(temporary).filter((name) => name.startsWith('breakwater'))).toEqual([])
})

/** Judged at once, and after 75 s, so that no run is over before its first finding. */
const RULES = 'auth.challenge.shape,ws.ticket.*'

/** Starts a smoke run against a real-time stub, and sends the signals once k6 works. */
async function smokeUntilFirstFinding(options: {
  dir: string
  out: string
  signals: readonly NodeJS.Signals[]
  env?: NodeJS.ProcessEnv
}): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }> {
  const { dir, out, signals, env } = options
  const { writeProfile } = await givenStub(dir)
  const profile = join(dir, writeProfile({ more: { control: null } }))
  const argv = ['smoke', '--no-load', '--target', profile, '--rules', RULES, '--output', out]
  return new Promise((done) => {
    const child = spawn(process.execPath, [projectPath('scripts/breakwater.mjs'), ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    let sent = false
    const send = (list: readonly NodeJS.Signals[]) => {
      sent = true
      for (const signal of list) child.kill(signal)
    }
    onTestFinished(() => send(THRICE))
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
      if (!sent && /^[1-9]\d* of \d+ rules/m.test(String(chunk))) send(signals)
    })
    child.on('close', (exitCode, signal) => done({ exitCode, signal, stdout, stderr }))
  })
}

/** A k6 that reports a finding and ignores signals. */
function stubbornK6(dir: string): string {
  const file = join(dir, 'k6')
  const script = `#!${process.execPath}
    if (process.argv[2] === 'version') console.log('k6 v2.2.0\\n  x , k6/x/breakwater [js]\\n  x , k6/http [js]\\n  x , k6/x/breakwater/bounds [js]\\n  x , series [output]')
    else {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
      const [, findings] = process.argv.map((arg) => arg.split('--console-output=')).find(([, file]) => file)
      require('node:fs').writeFileSync(findings, '{"finding":1}\\n')
      setTimeout(() => {}, 60_000)
    }`
  writeFileSync(file, script, { mode: 0o700 })
  return file
}

function processesThatName(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => readCommandLine(pid))
    .filter((commandLine) => commandLine.includes(text))
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
