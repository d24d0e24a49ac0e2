import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Verdict } from '../../contract/finding.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { projectPath } from '../../scripts/project.ts'
import { caseNames, loadCase } from '../../scripts/repro/load-case.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { listCaseMutants } from '../../simulator/mutants/case-mutants.ts'
import { sideBySide } from '../side-by-side.ts'

const SEEDS = [1, 2, 3]
const JOBS = 3

/** For `npm run nightly`: every case with several seeds and all choices, and against every mutant that it detects. */
export async function runCasesAtLength(
  report: (name: string, problem: string | undefined) => void,
  only = '',
): Promise<void> {
  const named = caseNames().filter((name) => name.includes(only))
  const cases = await Promise.all(named.map(async (name) => ({ name, runs: await listRuns(name) })))
  const runs = cases.flatMap(({ name, runs }) => runs.map((run) => ({ ...run, args: [name, ...run.args] })))
  await sideBySide(runs, JOBS, async ({ args, mayFail }) => {
    report(`case ${args.join(' ')}`, await findProblem(args, mayFail))
  })
}

type Run = { args: readonly string[]; mayFail: readonly string[] }

async function listRuns(name: string): Promise<Run[]> {
  const healthy = Object.keys(CHOICE_SETS).flatMap((choices) =>
    SEEDS.map((seed) => ({ args: ['--choices', choices, '--seed', String(seed)], mayFail: [] })),
  )
  const mutants = listCaseMutants(await loadCase(name, projectPath('.')))
  return [...healthy, ...mutants.map(({ name, rules }) => ({ args: ['--mutant', name], mayFail: rules }))]
}

/** Describes the problem of a run in which the rules of `mayFail`, and at least one of them, may fail. */
async function findProblem(args: readonly string[], mayFail: readonly string[]): Promise<string | undefined> {
  const out = mkdtempSync(join(tmpdir(), 'breakwater-case-'))
  try {
    const command = [
      projectPath('scripts/breakwater.mjs'),
      'repro',
      'run',
      ...args,
      '--json',
      '--output',
      out,
    ]
    const { status, stdout, stderr } = await promisify(execFile)(process.execPath, command, {
      maxBuffer: 64 * 1024 * 1024,
    }).then(
      (ended) => ({ ...ended, status: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => ({ ...error, status: error.code }),
    )
    if (status !== 0 && status !== 1) return `exit code ${status}: ${stderr.trim()}`
    return wrongIn(reportSchema.parse(JSON.parse(stdout)), mayFail)
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function wrongIn({ rules }: Report, mayFail: readonly string[]): string | undefined {
  const isBroken = mayFail.length > 0
  // A mutant may leave other rules inconclusive.
  const isWrong = (verdict: Verdict) => (isBroken ? verdict === 'fail' : verdict !== 'pass')
  const others = rules.filter(({ id, verdict }) => isWrong(verdict) && !mayFail.includes(id))
  const seen = others.map(({ id, verdict, observed, reason }) => `${id} ${verdict}: ${reason ?? observed}`)
  const isFound = rules.some(({ id, verdict }) => verdict === 'fail' && mayFail.includes(id))
  if (isBroken && !isFound) seen.push('not detected')
  return seen.length === 0 ? undefined : seen.join('; ')
}
