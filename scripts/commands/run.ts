import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { OWN_PREFIX, RUN_FILES } from '../../contract/run.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { validate } from '../../contract/validate.ts'
import { startStub } from '../../simulator/stub.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { loadSlo } from '../given-files.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { readyK6 } from '../k6/find-k6.ts'
import { durationMs, k6Env } from '../k6/k6-args.ts'
import { bundleOwn, ensureKitLink, LINK } from '../k6/kit-link.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { buildPlan, mutantOrTarget, type Plan } from '../runs/plan.ts'
import type { RunFolder } from '../runs/run-folder.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import { runScript, withRun } from '../runs/with-run.ts'
import { oneTarget, toTarget, type Worlds } from '../runs/worlds.ts'
import type { SmokeOptions } from '../smoke/plan.ts'
import { mustAllowAll, mustHaveTarget } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'

export type RunOptions = Omit<SmokeOptions, 'rules' | 'load' | 'mix'> & { file: string }
/** Functions of the kit that open a feed socket. */
const OPENS_FEED = /\b(openFeed|openServedFeed|followFeed)\b/
/** Limits waits of the kit. The options of the script set the duration of the run. */
const SECONDS_MAX = 86_400

type RunPlan = Plan & { script: string; shown: string }

/** Throws a BreakwaterError: usage for a bad option, file or script, environment if k6 or the target is unavailable. */
export function runOwn(options: RunOptions): Promise<ExitCode> {
  return withRun(
    {
      io: options.io,
      output: options.output,
      plan: () => planRun(options),
      readyGenerator: readyK6,
      openWorlds: openOwnWorld,
    },
    ({ plan, generator: { k6 }, worlds, io, openFolder }) =>
      withScenarioConfig(
        { worlds: worlds.byName, plan, env: io.env, ca: worlds.ca },
        async (env, scratch) => {
          const script = await bundleOwn({ script: plan.script, folder: scratch })
          // At Ctrl-C, k6 ends too, which looks like a rejection.
          const facts = await inspectScript({ script, shown: plan.shown, k6, env, cwd: io.cwd }).finally(() =>
            throwIfInterrupted(io.interrupted),
          )
          const folder = await openFolder({ rules: Object.keys(facts.rules), customRules: facts.rules })
          await folder.finish(await runOwnScript({ k6, script, shown: plan.shown, env, facts, folder, io }))
          return folder
        },
      ),
  )
}

async function planRun(options: RunOptions): Promise<RunPlan> {
  const { io, file } = options
  mustHaveTarget(options)
  const script = resolve(io.cwd, file)
  linkKit(script, options)
  mutantOrTarget(options)
  loadWorldFixture(options.world)
  return {
    job: 'run',
    script,
    shown: file,
    rules: [],
    slo: await loadSlo(options.slo ?? 'own', io.cwd),
    slow: options.includeSlow === true,
    durationSecondsMax: SECONDS_MAX,
    ...buildPlan(options),
    target:
      options.target === undefined
        ? null
        : await loadTarget(options.target, {
            io,
            needsFeed: OPENS_FEED.test(readScript(script, file)),
            check: mustAllowAll('a scenario', options.confirm),
          }),
  }
}

/** Creates the link to the kit if the script imports it from its own folder, as `init scenario` writes it. */
function linkKit(script: string, { file, io }: RunOptions): void {
  if (!readScript(script, file).includes(`'./${LINK}/`)) return
  const shown = join(dirname(file), LINK)
  if (ensureKitLink(dirname(script), shown) === 'made') {
    io.log(`${shown}: created a link to this installation, for the imports of the script`)
  }
}

function readScript(script: string, shown: string): string {
  try {
    if (statSync(script).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return readFileSync(script, 'utf8')
  } catch (cause) {
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, {
      hint: 'Expected a k6 script. Create one with `breakwater init scenario NAME`.',
      cause,
    })
  }
}

/** k6 exits well before, unless a peer never replies to a close frame. */
const LEAVE_MS = 60_000

async function runOwnScript(options: {
  k6: string
  script: string
  /** Path as given by the user. */
  shown: string
  env: NodeJS.ProcessEnv
  facts: ScriptFacts
  folder: RunFolder
  io: Io
}): Promise<K6Run> {
  const { shown, facts, folder, io } = options
  const rules = Object.keys(facts.rules).length
  const secondsMax = Math.ceil(facts.durationMs / 1000)
  io.log(
    `running ${shown}: ${rules} ${rules === 1 ? 'rule' : 'rules'}, at most ${facts.vusMax} ${facts.vusMax === 1 ? 'VU' : 'VUs'}, at most ${secondsMax} s`,
  )
  try {
    return await runScript(folder, { ...options, rules, secondsMax, cwd: io.cwd, beyondMs: LEAVE_MS })
  } finally {
    printErrors(folder, io)
  }
}

const ERROR_LINES_MAX = 5

/** An exception ends only one iteration, and k6 continues: without this, it would go unnoticed in a file. */
function printErrors(folder: RunFolder, io: Io): void {
  const lines = k6Lines(readFileSync(folder.file(RUN_FILES.k6Stderr), 'utf8'), ERROR_LINES_MAX)
  if (lines.length === 0) return
  const file = join(folder.shown, RUN_FILES.k6Stderr)
  io.stderr([`k6 wrote errors to ${file}:`, ...lines].join('\n'))
}

/** Without a target, starts a stub in real time whose clock the scenario can move. */
async function openOwnWorld(
  plan: Pick<Plan, 'world' | 'seed' | 'choices' | 'mutant'> & { target: Target | null },
): Promise<Worlds> {
  if (plan.target) return oneTarget(plan.target)
  const { world, seed, choices, mutant } = plan
  const stub = await startStub({ world, seed, choices, mutant: mutant?.name ?? null, pace: 'real' })
  return { ...oneTarget(toTarget(stub)), close: stub.close }
}

const LINE_LENGTH_MAX = 1000

/** Returns the first distinct lines. The prefix marks them as output of k6, since a script can print anything. */
function k6Lines(text: string, linesMax: number): string[] {
  const different = [...new Set(text.split(/[\r\n]+/).filter((line) => line.trim() !== ''))]
  return different.slice(0, linesMax).map((line) => `  k6: ${cut(line)}`)
}

function cut(line: string): string {
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line
}

type ScriptFacts = {
  /** Custom rules by id, each with its expected behavior. */
  rules: Readonly<Record<string, string>>
  vusMax: number
  /** All scenarios, including their graceful stop. */
  durationMs: number
}

const INSPECT_MS_MAX = 30_000

const ownRule = z
  .string()
  .regex(
    /^own(\.[a-z0-9-]+)+$/,
    `expected an id such as ${OWN_PREFIX}pools.listed-reads: lowercase letters, digits, hyphens`,
  )

const inspectedSchema = z.object({
  ext: z.object({ breakwater: z.object({ rules: z.record(ownRule, z.string().min(1)) }) }).nullish(),
  thresholds: z.record(z.string(), z.unknown()).nullish(),
  totalDuration: z.string(),
  maxVUs: z.number(),
})

/**
 * Reads the options of a script with `k6 inspect`. Throws a BreakwaterError (usage) if k6 rejects the script, or if its options are not
 * supported.
 */
async function inspectScript(options: {
  k6: string
  script: string
  /** Path as given by the user. */
  shown: string
  env: NodeJS.ProcessEnv
  cwd: string
}): Promise<ScriptFacts> {
  const { shown } = options
  const { thresholds, ext, totalDuration, maxVUs } = parse(await inspect(options), shown)
  if (Object.keys(thresholds ?? {}).length > 0) {
    throw new BreakwaterError(`${shown}: options.thresholds is not supported`, {
      hint: 'Use objectives (--slo FILE) or a custom rule instead.',
    })
  }
  return { rules: ext?.breakwater.rules ?? {}, vusMax: maxVUs, durationMs: durationMs(totalDuration) }
}

function parse(text: string, shown: string): z.infer<typeof inspectedSchema> {
  const { data, problems } = validate(inspectedSchema, JSON.parse(text))
  if (problems === null) return data
  const lines = problems.map((problem) => `\n  options.${problem}`)
  throw new BreakwaterError(`${shown}: invalid options:${lines.join('')}`, {
    hint: 'Create them with scenarioOptions of the kit: docs/guides/custom-scenarios.md.',
  })
}

function inspect({ k6, script, shown, env, cwd }: Parameters<typeof inspectScript>[0]): Promise<string> {
  const args = [
    'inspect',
    '--execution-requirements',
    '--include-system-env-vars',
    '--log-format=raw',
    script,
  ]
  return new Promise((resolve, reject) => {
    execFile(k6, args, { env: k6Env(env), cwd, timeout: INSPECT_MS_MAX }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else if (error.code === 'ENOENT' || error.code === 'EACCES') reject(cannotStart(k6, error))
      else reject(rejection(shown, stderr, error))
    })
  })
}

function cannotStart(k6: string, cause: Error): BreakwaterError {
  return new BreakwaterError(`k6 could not be started: ${k6}`, {
    hint: '`breakwater doctor` checks k6.',
    exitCode: EXIT.environment,
    cause,
  })
}

const LINES_MAX = 8

/** Cuts k6's two prefixes that repeat the path of the script, and its advice about Docker. */
function shortenLoadError(line: string): string {
  return line
    .replace(/could not initialize '.*?': could not load JS test '.*?': /, '')
    .replace(/ Make sure that you've specified the right path to the file\..*$/, '')
}

function rejection(shown: string, stderr: string, cause: Error & { killed?: boolean }): BreakwaterError {
  const lines = cause.killed
    ? [`  reading it took longer than ${INSPECT_MS_MAX / 1000} s`]
    : k6Lines(stderr, LINES_MAX).map(shortenLoadError)
  return new BreakwaterError([`${shown}: k6 rejects the script:`, ...lines].join('\n'), {
    hint: 'Check the path and the syntax. Imports are relative and have a file extension. `breakwater init scenario NAME` creates a working script.',
    cause,
  })
}
