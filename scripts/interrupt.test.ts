// The real command in a process of its own, interrupted in the middle.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportSchema } from '../contract/report.ts'
import { runSchema } from '../contract/run.ts'
import { projectPath } from './project-path.ts'

const RUN_MS_MAX = 120_000

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'ends at %s with exit code 130, a report that says so, and no process left',
  { timeout: RUN_MS_MAX },
  async (signal) => {
    const out = join(mkdtempSync(join(tmpdir(), 'breakwater-test-')), 'run')
    const exitCode = await smokeUntilFirstFinding({ out, signal })

    expect(exitCode).toBe(130)
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

/** Starts a smoke run and sends the signal once k6 is at work; answers the exit code. */
function smokeUntilFirstFinding({
  out,
  signal,
}: {
  out: string
  signal: NodeJS.Signals
}): Promise<number | null> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [projectPath('scripts/breakwater.mjs'), 'smoke', '--out', out], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.on('data', (chunk) => {
      // The first line of progress that counts a verdict: a terminal would show it too.
      if (/probing: [1-9]/.test(String(chunk))) child.kill(signal)
    })
    child.on('close', (exitCode) => done(exitCode))
  })
}

function processesThatName(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => commandLineOf(pid))
    .filter((commandLine) => commandLine.includes(text))
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
