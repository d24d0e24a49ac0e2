import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Verdict } from '../../contract/finding.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { projectPath } from '../../scripts/project.ts'
import { caseNames, loadCase, type NamedCase } from '../../scripts/repro/load-case.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { isSymptom, MUTANTS, type Mutant } from '../../simulator/mutants/mutants.ts'
import { sideBySide } from '../side-by-side.ts'

const SEEDS = [1, 2, 3]
const JOBS = 3

/**
 * Every case by several seeds under all sets of choices, where all it judges must hold, and against every mutant that it
 * finds out. For `npm run nightly`.
 */
export async function playAtLength(tell: (name: string, problem: string | undefined) => void): Promise<void> {
  const cases = await Promise.all(caseNames().map(async (name) => ({ name, runs: await runsOf(name) })))
  const runs = cases.flatMap(({ name, runs }) => runs.map((run) => ({ ...run, args: [name, ...run.args] })))
  await sideBySide(runs, JOBS, async ({ args, mayFail }) => {
    tell(`case ${args.join(' ')}`, await problemOf(args, mayFail))
  })
}

type Run = { args: readonly string[]; mayFail: readonly string[] }

async function runsOf(name: string): Promise<Run[]> {
  const healthy = Object.keys(CHOICE_SETS).flatMap((choices) =>
    SEEDS.map((seed) => ({ args: ['--choices', choices, '--seed', String(seed)], mayFail: [] })),
  )
  const mutants = mutantsOfCase(await loadCase(name, projectPath('.')))
  return [...healthy, ...mutants.map(({ name, rules }) => ({ args: ['--mutant', name], mayFail: rules }))]
}

/** What is wrong with a run in which some of the rules may fail, and one of them must where there are any. */
async function problemOf(args: readonly string[], mayFail: readonly string[]): Promise<string | undefined> {
  const out = mkdtempSync(join(tmpdir(), 'breakwater-case-'))
  try {
    const command = [projectPath('scripts/breakwater.mjs'), 'repro', 'run', ...args, '--json', '--out', out]
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
  // What a mutant breaks may keep the rest from being judged.
  const isWrong = (verdict: Verdict) => (isBroken ? verdict === 'fail' : verdict !== 'pass')
  const others = rules.filter(({ id, verdict }) => isWrong(verdict) && !mayFail.includes(id))
  const seen = others.map(({ id, verdict, observed, reason }) => `${id} ${verdict}: ${reason ?? observed}`)
  const isFound = rules.some(({ id, verdict }) => verdict === 'fail' && mayFail.includes(id))
  if (isBroken && !isFound) seen.push('not found out')
  return seen.length === 0 ? undefined : seen.join('; ')
}

/** There the revision that is asked for is served already. */
const NOT_SHOWN = [{ name: 'reads-step-back', mutant: 'protocol-pending-served' }]

/**
 * The mutants that a case finds out: they break what it judges, in a way that shows in its story. A case has one story: a
 * deviation on one resource of several, or on a second try, need not be part of it.
 */
export function mutantsOfCase({ name, rules }: Pick<NamedCase, 'name' | 'rules'>): Mutant[] {
  return MUTANTS.filter(
    (mutant) =>
      mutant.rules.some((rule) => rules.includes(rule)) &&
      !isSymptom(mutant.name) &&
      !NOT_SHOWN.some((one) => one.name === name && one.mutant === mutant.name),
  )
}
