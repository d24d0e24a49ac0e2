import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Report, reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { caseNames } from '../../scripts/repro/load-case.ts'
import { runCommandLine } from './run-command-line.ts'

/** Cases that take so long that they are tested on their own. */
const LARGE = ['reconnect-storm']

/** Those that tests play again and again. */
export const PLAYED_CASES: readonly string[] = caseNames().filter((name) => !LARGE.includes(name))

export const CASE_MS_MAX = 180_000

/** Plays a case in this process, with real k6, and says what came of it. */
export async function runCase(
  name: string,
  options: readonly string[] = [],
): Promise<{ exitCode: number; timeline: string; rules: Report['rules']; failed: string[] }> {
  const { exitCode, stderr, cwd } = await runCommandLine(['repro', 'run', name, '--out', 'run', ...options])
  const read = (file: string) =>
    readFile(join(cwd, 'run', file), 'utf8').catch(() => {
      throw new Error(`${name}: the run wrote no ${file}: ${stderr}`)
    })
  const { rules } = reportSchema.parse(JSON.parse(await read(RUN_FILES.reportJson)))
  const failed = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  return { exitCode, timeline: await read(RUN_FILES.timeline), rules, failed }
}
