// Kills the real command in the middle of its load.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { reportSchema } from '../../contract/report.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'

const RUN_MS_MAX = { timeout: 120_000 }
const WAIT = { timeout: 60_000, interval: 100 }

test('the report contains all measurements until the command was killed', RUN_MS_MAX, async () => {
  const cwd = temporaryFolder()
  const argv = ['load', '--rate', '20', '--duration', '3600s', '--output', join(cwd, 'run')]
  const child = spawn(process.execPath, [projectPath('scripts/breakwater.mjs'), ...argv], {
    stdio: 'ignore',
    // Leftovers of the killed command are deleted with the test.
    env: { ...process.env, TMPDIR: cwd },
  })
  // k6 outlives it to complete its files.
  onTestFinished(() => {
    child.kill('SIGKILL')
    killAllThatName(cwd)
  })
  const series = join(cwd, 'run', 'trials', '1', 'series-1.ndjson')
  await vi.waitFor(
    () => expect(existsSync(series) && readFileSync(series, 'utf8')).toContain('http_reqs'),
    WAIT,
  )
  child.kill('SIGKILL')
  const { exitCode, stdout } = await runCommandLine(['report', join(cwd, 'run'), '--json'], { cwd })
  expect(exitCode).toBe(130)
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(report).toMatchObject({ verdict: 'interrupted', run: { state: 'running', mix: 'reads' } })
  expect(report.generator.requests).toBeGreaterThan(0)
  expect(report.notes.join('\n')).toContain('Trial 1 did not come to its end')
})

function killAllThatName(text: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // Already exited.
    }
  }
}
