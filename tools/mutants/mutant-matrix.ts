import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { RULES } from '../../contract/rules.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { runCli } from '../../scripts/commands/cli.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { joinMutants, type Mutant } from '../../simulator/mutants/mutants.ts'
import { sideBySide } from '../side-by-side.ts'
import type { Pool } from './pool-mutants.ts'

type Judged = Pick<MutantResult, 'reported' | 'missed' | 'unexpected' | 'problem'>
export type MatrixCell = Judged & { choices: ChoiceSetName; mutant: Mutant }

/**
 * Runs the mutants of each pool together. Those that it does not settle run again, each alone: all if an unexpected rule
 * was reported, else those of which a rule was not.
 */
export async function runMatrix(options: {
  pools: readonly Pool[]
  jobs: number
  runMutant: (mutant: Mutant, choices: ChoiceSetName) => Promise<Judged>
  onCell: (cell: MatrixCell) => void
}): Promise<{ cells: MatrixCell[]; runs: number }> {
  const cells: MatrixCell[] = []
  let runs = 0
  await sideBySide(options.pools, options.jobs, async ({ choices, mutants }) => {
    const run = (mutant: Mutant) => {
      runs++
      return options.runMutant(mutant, choices).catch(
        (error: unknown): Judged => ({
          reported: [],
          missed: [...mutant.rules],
          unexpected: [],
          problem: error instanceof Error ? error.message : String(error),
        }),
      )
    }
    const pooled = await run(mutants.reduce(joinMutants))
    for (const mutant of mutants) {
      const judged = mutants.length === 1 ? pooled : settle(mutant, pooled)
      const cell = { choices, mutant, ...(judged ?? (await run(mutant))) }
      cells.push(cell)
      options.onCell(cell)
    }
  })
  return { cells, runs }
}

/** Undefined: the run of the pool does not show whether it is detected. */
function settle({ rules }: Mutant, { reported, unexpected }: Judged): Judged | undefined {
  if (unexpected.length > 0 || !rules.every((rule) => reported.includes(rule))) return undefined
  return { reported: [...rules], missed: [], unexpected: [], problem: undefined }
}
/** For each rule: the mutants that it detected, missed, or reported unexpectedly. */
export function matrixTable(cells: readonly MatrixCell[]): string[] {
  const ids = RULES.map(({ id }) => id)
  const width = Math.max(...ids.map((id) => id.length))
  const marks = (cell: MatrixCell, id: string) => {
    const name = `${cell.mutant.name} (${cell.choices})`
    if (cell.unexpected.includes(id)) return [`WRONG ${name}`]
    if (cell.missed.includes(id)) return [`MISSED ${name}`]
    return cell.reported.includes(id) ? [cell.mutant.name] : []
  }
  return ids.flatMap((id) => {
    const marked = [...new Set(cells.flatMap((cell) => marks(cell, id)))]
    return marked.length > 0 ? [`${id.padEnd(width)}  ${marked.join(', ')}`] : []
  })
}

export function matrixSummary({ cells, runs }: { cells: readonly MatrixCell[]; runs: number }): string {
  const count = (list: (cell: MatrixCell) => readonly unknown[]) =>
    cells.reduce((sum, cell) => sum + list(cell).length, 0)
  const declared = count(({ mutant }) => mutant.rules)
  const detected = declared - count(({ missed }) => missed)
  const percent = declared === 0 ? 0 : Math.floor((detected / declared) * 1000) / 10
  const failed = cells.filter(({ problem }) => problem !== undefined)
  return [
    ...failed.map(({ mutant, choices, problem }) => `FAILED  ${mutant.name}, ${choices}: ${problem}`),
    `${cells.length} mutants in ${runs} runs, ${failed.length} failed: detected ${detected} of ${declared} (${percent} %), unexpected failures ${count(({ unexpected }) => unexpected)}`,
  ].join('\n')
}

type MutantResult = {
  exitCode: ExitCode
  reported: string[]
  report: Report
  /** Rules that the mutant breaks, but the run does not report. */
  missed: string[]
  /** Rules that the run reports, but the mutant does not break. */
  unexpected: string[]
  problem: string | undefined
}

/** The rules that a run should have reported, and those that it should not. */
export function compareReported(
  reported: readonly string[],
  { rules, sometimes }: Pick<Mutant, 'rules' | 'sometimes'>,
): Pick<MutantResult, 'missed' | 'unexpected'> {
  return {
    missed: rules.filter((rule) => !reported.includes(rule)),
    unexpected: reported.filter((rule) => !rules.includes(rule) && !sometimes.includes(rule)),
  }
}

/** Runs all rules against a mutant or the correct stub. For a mutant, expects exit code 1 and exactly the declared rules as broken. */
export async function runMutant(
  mutant: Mutant | null,
  options: { choices?: ChoiceSetName; world?: string; seed?: number; strict?: boolean } = {},
): Promise<MutantResult> {
  const { choices = 'default', world = 'tiny', seed, strict = mutant === null } = options
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-mutant-'))
  const out = join(dir, 'run')
  try {
    let output = ''
    const exitCode = await runCli({
      argv: [
        ...['smoke', '--no-load', '--choices', choices, '--world', world, '--output', out],
        ...(seed === undefined ? [] : ['--seed', String(seed)]),
        ...(mutant ? ['--mutant', mutant.name] : []),
        ...(strict ? ['--strict'] : []),
      ],
      env: process.env,
      cwd: dir,
      stdout: () => {},
      stderr: (text) => {
        output += text
      },
      terminal: NO_TERMINAL,
      interrupted: new AbortController().signal,
    })
    const text = await readFile(join(out, RUN_FILES.reportJson), 'utf8').catch(() => {
      throw new Error(`the run wrote no report: ${output}`)
    })
    const report = reportSchema.parse(JSON.parse(text))
    const reported = report.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
    const { missed, unexpected } = compareReported(reported, mutant ?? { rules: [], sometimes: [] })
    const expected = mutant ? EXIT.failed : EXIT.ok
    const problems = [
      ...(unexpected.length > 0 ? [`unexpected reported: ${unexpected.join(', ')}`] : []),
      ...(missed.length > 0 ? [`not detected: ${missed.join(', ')}`] : []),
      ...(exitCode === expected ? [] : [`exit code ${exitCode}, expected ${expected}`]),
    ]
    return { exitCode, reported, report, missed, unexpected, problem: problems.join('; ') || undefined }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
