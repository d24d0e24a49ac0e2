/** `breakwater repro`: plays a case, a bug from the field, again at will, and tells who did what, and when. */

import { readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import type { RuleResult } from '../../contract/report.ts'
import { choiceSetName, type ReproCase } from '../../contract/repro-case.ts'
import { RULES, ruleById } from '../../contract/rules.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { judgeRules } from '../../reports/judge-rules.ts'
import { readFindings } from '../../reports/read-findings.ts'
import { readRun } from '../../reports/run-file.ts'
import type { Io } from '../io.ts'
import { caseNames, caseText, loadCase } from '../repro/load-case.ts'
import { openCaseWorlds, planRepro, type ReproOptions } from '../repro/plan-repro.ts'
import { playCase } from '../repro/play-case.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import { withRun } from '../runs/with-run.ts'

/**
 * Plays a case to a verdict. Throws a BreakwaterError: usage for a bad option or case, environment where k6 or the target
 * is not to be had.
 */
export function runRepro(options: ReproOptions): Promise<ExitCode> {
  return withRun(
    { io: options.io, plan: () => planRepro(options), openWorlds: openCaseWorlds },
    async ({ plan, k6, worlds, io, openFolder }) => {
      const { name, title, story } = plan.played
      const folder = await openFolder({ repro: { name, title, story } })
      if (!plan.json) io.stdout(`${title} (${name})`)
      const run = await withScenarioConfig(
        { worlds: worlds.byName, plan, env: io.env, ca: worlds.ca },
        (env) => playCase({ plan, k6, env, folder, io }),
      )
      await folder.finish(run)
      return folder
    },
  )
}

/** `breakwater repro list`: the cases there are. */
export async function runReproList({ io, json }: { io: Io; json?: true }): Promise<ExitCode> {
  const cases = await Promise.all(caseNames().map((name) => loadCase(name, io.cwd)))
  if (json) io.document(JSON.stringify(cases, null, 2))
  const width = Math.max(...cases.map(({ name }) => name.length))
  if (!json) for (const { name, title } of cases) io.stdout(`${name.padEnd(width)}  ${title}`)
  return EXIT.ok
}

/** `breakwater repro show`: a case's story, what it judges, and how it is played. */
export async function runReproShow(options: { io: Io; case: string; json?: true }): Promise<ExitCode> {
  const { io, json } = options
  const shown = await loadCase(options.case, io.cwd)
  if (json) io.document(JSON.stringify(shown, null, 2))
  else for (const line of caseText(shown)) io.stdout(line)
  return EXIT.ok
}

const COMMANDS = ['list', 'show', 'run']

/** What is asked for without list, show or run. */
export async function runReproSave(options: {
  io: Io
  /** A command that is none. */
  word: string | undefined
  name: string | true | undefined
  run: string | undefined
  json?: true
}): Promise<ExitCode> {
  const { io, word, name, run, json } = options
  if (word !== undefined) {
    throw new BreakwaterError(`repro: no command ${JSON.stringify(word)}`, {
      hint: `There are ${COMMANDS.join(', ')}; a case is played with \`breakwater repro run ${word}\`.`,
    })
  }
  if (name === undefined) {
    throw new BreakwaterError(
      run === undefined ? 'repro: name a command: list, show or run' : '--run DIR goes with --save',
      { hint: 'Try `breakwater repro --help`.' },
    )
  }
  return saveCase({ io, name, json: json === true, ...(run === undefined ? {} : { run }) })
}

/** `breakwater repro --save [NAME]`: what failed in a run, as a case. */
const RUNS = 'runs'
/** Of them findings are kept that probes can play again. */
const JOB = 'smoke'

type Failing = { run: Run; failed: readonly RuleResult[] }
type SavedCase = Pick<ReproCase, 'title' | 'story' | 'rules'> & {
  target?: ReproCase['target']
  stub?: Partial<ReproCase['stub']>
}

/**
 * Writes NAME.json into the working directory: the rules that failed in the newest run of which any did, or in the run
 * that is named. Throws a BreakwaterError (usage) where nothing failed, or the file is there.
 */
async function saveCase(options: {
  io: Io
  name: string | true
  run?: string
  json: boolean
}): Promise<ExitCode> {
  const { io } = options
  const failing = await (options.run === undefined ? newestFailing(io.cwd) : namedRun(options.run, io.cwd))
  const name = options.name === true ? nameOf(failing) : options.name
  if (!/^[a-z0-9][a-z0-9-]{0,79}$/.test(name)) {
    throw new BreakwaterError(`--save ${JSON.stringify(name)}: expected small letters, digits and hyphens`, {
      hint: 'The case is written to NAME.json in the working directory.',
    })
  }
  const file = `${name}.json`
  const saved = caseOf(failing)
  await write(resolve(io.cwd, file), { shown: file, text: `${JSON.stringify(saved, null, 2)}\n` })
  if (options.json) {
    io.document(JSON.stringify({ file, run: failing.run.id, case: saved }, null, 2))
    return EXIT.ok
  }
  io.stdout(`${file}: ${saved.rules.join(', ')}, of the run ${failing.run.id}`)
  const target = saved.target === undefined ? '' : ' --target PROFILE'
  io.stdout(`Run it: breakwater repro run ./${file}${target}`)
  return EXIT.ok
}

async function newestFailing(cwd: string): Promise<Failing> {
  const entries = await readdir(join(cwd, RUNS), { withFileTypes: true }).catch(() => [])
  // A link could lead to anywhere.
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const runs = await Promise.all(names.map((name) => failingOf(join(cwd, RUNS, name)).catch(() => undefined)))
  const [newest] = runs
    .filter((one) => one !== undefined)
    .filter(({ run, failed }) => run.job === JOB && failed.length > 0)
    .sort((a, b) => (a.run.startedAt < b.run.startedAt ? 1 : -1))
  if (newest !== undefined) return newest
  throw new BreakwaterError(`${RUNS}/: no run of ${JOB} in which a rule failed`, {
    hint:
      names.length === 0
        ? `\`breakwater smoke\` makes a run in ${RUNS}/; --run DIR names one elsewhere.`
        : `Nothing failed in the runs that are there; --run DIR names one elsewhere.`,
  })
}

async function namedRun(dir: string, cwd: string): Promise<Failing> {
  const failing = await failingOf(resolve(cwd, dir))
  const { run, failed } = failing
  if (run.job !== JOB) {
    throw new BreakwaterError(`${dir}: is a run of ${run.job}, and expected is one of ${JOB}`, {
      hint: `A case is made of rules that failed in probes, and a load tries none. What repeats it: ${run.command}`,
    })
  }
  if (failed.length > 0) return failing
  throw new BreakwaterError(`${dir}: no rule failed in it, so there is nothing to save`)
}

async function failingOf(dir: string): Promise<Failing> {
  const run = await readRun(dir)
  const { findings } = await readFindings(join(dir, RUN_FILES.findings))
  const selected = run.rules.filter((id) => ruleById(id) !== undefined)
  const { rules } = judgeRules({ selected, findings, catalogue: RULES })
  return { run, failed: rules.filter(({ verdict }) => verdict === 'fail') }
}

function caseOf({ run, failed }: Failing): SavedCase {
  const [first] = failed
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  const { world, seed, choices, mutant } = run
  const known = choiceSetName.safeParse(choices)
  return {
    title: `${first?.id ?? ''}${others} failed`.slice(0, 100),
    story: storyOf(run, failed),
    rules: failed.map(({ id }) => id),
    ...(world === null
      ? { target: { name: run.target.name, baseUrl: run.target.baseUrl } }
      : {
          stub: {
            world,
            ...(seed === null ? {} : { seed }),
            ...(known.success && { choices: known.data }),
            ...(mutant === null ? {} : { mutant }),
          },
        }),
  }
}

const STORY_MAX = 4000

function storyOf({ id, command }: Run, failed: readonly RuleResult[]): string {
  const lines = failed.map(
    ({ id: rule, expected, observed }) => `${rule}: expected ${expected}; observed ${observed}.`,
  )
  return [`Saved of the run ${id} (${command}).`, ...lines].join(' ').slice(0, STORY_MAX)
}

function nameOf({ failed: [first] }: Failing): string {
  return `${first?.id.replaceAll('.', '-') ?? 'case'}`
}

async function write(file: string, { shown, text }: { shown: string; text: string }): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST' // as: errors of node:fs carry a code
    throw new BreakwaterError(
      isThere ? `${shown}: is there already, and nothing is overwritten` : `${shown}: ${fileFailure(cause)}`,
      { hint: 'Name another with --save NAME, or remove it.', cause },
    )
  }
}
