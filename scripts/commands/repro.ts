import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import type { RuleResult } from '../../contract/report.ts'
import { type ReproCase, stubWorldSchema } from '../../contract/repro-case.ts'
import { RULES, ruleById } from '../../contract/rules.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { judgeRules } from '../../reports/judge-rules.ts'
import { readFindings } from '../../reports/read-findings.ts'
import { readRun } from '../../reports/run-file.ts'
import type { Io } from '../io.ts'
import { readyK6 } from '../k6/find-k6.ts'
import { writeNewFile } from '../output-file.ts'
import { caseNames, caseText, loadCase } from '../repro/load-case.ts'
import { openCaseWorlds, planRepro, type ReproOptions } from '../repro/plan-repro.ts'
import { runCase } from '../repro/run-case.ts'
import { RARE_COLLECTION, withScenarioConfig } from '../runs/scenario-config.ts'
import { withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or case, environment if k6 or the target is unavailable. */
export function runRepro(options: ReproOptions): Promise<ExitCode> {
  return withRun(
    {
      io: options.io,
      output: options.output,
      plan: () => planRepro(options),
      readyGenerator: readyK6,
      openWorlds: openCaseWorlds,
    },
    async ({ plan, generator: { k6 }, worlds, io, openFolder }) => {
      const { name, title, story } = plan.namedCase
      const folder = await openFolder({ repro: { name, title, story } })
      if (!plan.json) io.stdout(`${title} (${name})`)
      const run = await withScenarioConfig(
        { worlds: worlds.byName, plan, env: { ...RARE_COLLECTION, ...io.env }, ca: worlds.ca },
        (env) => runCase({ plan, k6, env, folder, io }),
      )
      await folder.finish(run)
      return folder
    },
  )
}

export async function runReproList({ io, json }: { io: Io; json?: true }): Promise<ExitCode> {
  const cases = await Promise.all(caseNames().map((name) => loadCase(name, io.cwd)))
  if (json) io.document(JSON.stringify(cases, null, 2))
  const width = Math.max(...cases.map(({ name }) => name.length))
  if (!json) for (const { name, title } of cases) io.stdout(`${name.padEnd(width)}  ${title}`)
  return EXIT.ok
}

export async function runReproShow(options: { io: Io; case: string; json?: true }): Promise<ExitCode> {
  const { io, json } = options
  const shown = await loadCase(options.case, io.cwd)
  if (json) io.document(JSON.stringify(shown, null, 2))
  else for (const line of caseText(shown)) io.stdout(line)
  return EXIT.ok
}

const COMMANDS = ['list', 'show', 'run']

/** `repro` without a subcommand. */
export async function runReproSave(options: {
  io: Io
  /** A mistyped subcommand. */
  word: string | undefined
  name: string | true | undefined
  run: string | undefined
  json?: true
}): Promise<ExitCode> {
  const { io, word, name, run, json } = options
  if (word !== undefined) {
    throw unknownName(`repro: unknown command ${JSON.stringify(word)}`, {
      name: word,
      names: COMMANDS,
      listed: `To run a case: \`breakwater repro run ${word}\`.`,
    })
  }
  if (name === undefined) {
    throw new BreakwaterError(run === undefined ? 'repro: expected a command' : '--run requires --save', {
      hint: '`breakwater repro --help` lists all commands and options.',
    })
  }
  return saveCase({ io, name, json: json === true, ...(run === undefined ? {} : { run }) })
}

const RUNS = 'runs'
/** The only job whose findings a case can reproduce. */
const JOB = 'smoke'

type Failing = { run: Run; failed: readonly RuleResult[] }
type SavedCase = Pick<ReproCase, 'title' | 'story' | 'rules'> & {
  target?: ReproCase['target']
  stub?: Partial<ReproCase['stub']>
}

/**
 * Writes NAME.json to the working directory, with the failed rules of the given run, or of the newest run with any. Throws a
 * BreakwaterError (usage) if no rule failed or the file exists.
 */
async function saveCase(options: {
  io: Io
  name: string | true
  run?: string
  json: boolean
}): Promise<ExitCode> {
  const { io } = options
  const failing = await (options.run === undefined ? newestFailing(io.cwd) : namedRun(options.run, io.cwd))
  const name = options.name === true ? defaultName(failing) : options.name
  if (!/^[a-z0-9][a-z0-9-]{0,79}$/.test(name)) {
    throw new BreakwaterError(
      `--save ${JSON.stringify(name)}: expected lowercase letters, digits and hyphens`,
      {
        hint: 'The case is written to NAME.json in the working directory.',
      },
    )
  }
  const file = `${name}.json`
  const saved = toCase(failing)
  write(resolve(io.cwd, file), { shown: file, text: `${JSON.stringify(saved, null, 2)}\n` })
  if (options.json) {
    io.document(JSON.stringify({ file, run: failing.run.id, case: saved }, null, 2))
    return EXIT.ok
  }
  io.stdout(`${file}: ${saved.rules.join(', ')}, from run ${failing.run.id}`)
  const target = saved.target === undefined ? '' : ' --target PROFILE'
  io.stdout(`Run it: breakwater repro run ./${file}${target}`)
  return EXIT.ok
}

async function newestFailing(cwd: string): Promise<Failing> {
  const entries = await readdir(join(cwd, RUNS), { withFileTypes: true }).catch(() => [])
  // Skips links, which can point outside the folder.
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const runs = await Promise.all(
    names.map((name) => readFailing(join(cwd, RUNS, name)).catch(() => undefined)),
  )
  const [newest] = runs
    .filter((one) => one !== undefined)
    .filter(({ run, failed }) => run.job === JOB && failed.length > 0)
    .sort((a, b) => (a.run.startedAt < b.run.startedAt ? 1 : -1))
  if (newest !== undefined) return newest
  throw new BreakwaterError(`${RUNS}/: no ${JOB} run with a failed rule`, {
    hint:
      names.length === 0
        ? `Make one with \`breakwater smoke\`, or set --run DIR to a run in another folder.`
        : `All rules passed in the runs found. Set --run DIR to a run in another folder.`,
  })
}

async function namedRun(dir: string, cwd: string): Promise<Failing> {
  const failing = await readFailing(resolve(cwd, dir), dir)
  const { run, failed } = failing
  if (run.job !== JOB) {
    throw new BreakwaterError(`${dir}: expected a ${JOB} run, found a ${run.job} run`, {
      hint: `A case consists of rules that failed in probes, which only ${JOB} runs. To repeat this run: ${run.command}`,
    })
  }
  if (failed.length > 0) return failing
  throw new BreakwaterError(`${dir}: no rule failed in this run, so there is nothing to save`, {
    hint: 'Expected a run with a failed rule. `breakwater runs` lists the runs in runs/.',
  })
}

async function readFailing(dir: string, shown = dir): Promise<Failing> {
  const run = await readRun(dir, { shown })
  const { findings } = await readFindings(join(dir, RUN_FILES.findings))
  const selected = run.rules.filter((id) => ruleById(id) !== undefined)
  const { rules } = judgeRules({ selected, findings, catalogue: RULES })
  return { run, failed: rules.filter(({ verdict }) => verdict === 'fail') }
}

function toCase({ run, failed }: Failing): SavedCase {
  const [first] = failed
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  const { world, seed, choices, mutant } = run
  const known = stubWorldSchema.shape.choices.safeParse(choices)
  return {
    title: `${first?.id ?? ''}${others} failed`.slice(0, 100),
    story: storyText(run, failed),
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

function storyText({ id, command }: Run, failed: readonly RuleResult[]): string {
  const lines = failed.map(
    ({ id: rule, expected, observed }) => `${rule}: expected ${expected}; observed ${observed}.`,
  )
  return [`Saved from run ${id} (${command}).`, ...lines].join(' ').slice(0, STORY_MAX)
}

function defaultName({ failed: [first] }: Failing): string {
  return `${first?.id.replaceAll('.', '-') ?? 'case'}`
}

function write(file: string, { shown, text }: { shown: string; text: string }): void {
  try {
    writeNewFile(file, text)
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST' // as: errors of node:fs carry a code
    throw new BreakwaterError(
      exists
        ? `${shown}: already exists, and is not overwritten`
        : `${shown}: cannot be written: ${fileFailure(cause)}`,
      {
        hint: exists
          ? 'Choose another name with --save NAME, or remove the file.'
          : 'The working directory must be writable, and the disk must have room.',
        exitCode: exists ? EXIT.usage : EXIT.environment,
        cause,
      },
    )
  }
}
