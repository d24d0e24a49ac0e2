/**
 * `npm run nightly`: all tests that take too long for CI; SECTIONS lists them. `-- --only GLOB` selects sections by name,
 * `--cases TEXT` cases of `repro`, `fault-proxy`, `proxies`, `explore`, `interrupts`, `kills` and `capacity`, or pages of `docs`. `--moments N`
 * and `--seed N` are for `interrupts` and `kills`, `--explore-minutes N` for `explore`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { matchesGlob } from '../contract/match-glob.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { unknownName } from '../contract/unknown-name.ts'
import { findK6 } from '../scripts/k6/find-k6.ts'
import { projectPath } from '../scripts/project.ts'
import { CHOICE_SETS } from '../simulator/choices/choices.ts'
import { PROBED_MUTANTS } from '../simulator/mutants/mutants.ts'
import { worldNames } from '../simulator/world-fixture.ts'
import { runCasesAtLength } from './cases/at-length.ts'
import { followPagesAtLength } from './docs/at-length.ts'
import { interruptAtLength } from './endings/interrupts.ts'
import { killAtLength } from './endings/kills.ts'
import { exploreAtLength } from './explore/at-length.ts'
import { injectFaultsAtLength } from './fault-proxy/at-length.ts'
import { rehearseImage } from './image/rehearse.ts'
import { matrixSummary, runMatrix, runMutant } from './mutants/mutant-matrix.ts'
import { POOL, poolMutants } from './mutants/pool-mutants.ts'
import { proveCapacity } from './proofs/capacity.ts'
import { proveComparisons } from './proofs/comparisons.ts'
import { proveHunt } from './proofs/hunt.ts'
import { proveQueueing } from './proofs/queueing/prove-queueing.ts'
import { proveStorm, STORM } from './proofs/storm.ts'
import { runBehindProxiesAtLength } from './proxies/at-length.ts'
import { sideBySide } from './side-by-side.ts'
import { exitWith, toolArguments } from './tool-arguments.ts'

const SEEDS = [1, 2, 3, 4, 5]
const JOBS = 3
const sets = Object.keys(CHOICE_SETS) as ChoiceSetName[] // as: its keys are the names
const { values } = toolArguments('nightly', {
  options: {
    only: { type: 'string', default: '*' },
    cases: { type: 'string', default: '' },
    moments: { type: 'string', isNumber: true },
    seed: { type: 'string', isNumber: true, default: '1' },
    'explore-minutes': { type: 'string', isNumber: true, default: '60' },
  },
})
const endings = {
  ...(values.moments !== undefined && { moments: Number(values.moments) }),
  seed: Number(values.seed),
  only: values.cases,
}

const SECTIONS: Record<string, () => Promise<void> | void> = {
  mutants: runMutants,
  seeds: runSeeds,
  docs: () => followPagesAtLength(report, values.cases),
  repro: () => runCasesAtLength(report, values.cases),
  'fault-proxy': () => injectFaultsAtLength(report, values.cases),
  proxies: () => runBehindProxiesAtLength(report, values.cases),
  explore: () => exploreAtLength(report, { minutes: Number(values['explore-minutes']), only: values.cases }),
  comparisons: () => proveComparisons(report),
  hunt: () => proveHunt(report),
  image: () => rehearseImage(report),
  cluster: () => runTool('tests in a cluster', 'npm', ['run', '--silent', 'test:kubernetes']),
  capacity: runCapacity,
  queueing: runQueueing,
  fuzz: () =>
    runTool('10,000 cases of untrusted input', process.execPath, [
      ...['--import', './tools/typescript.mjs', 'tools/fuzz.ts', '--long'],
    ]),
  buckets: () =>
    runTool('fuzz the histogram’s buckets with 3,000,000 values', 'go', FUZZ, { cwd: projectPath('k6') }),
  schemathesis: () =>
    runTool('Schemathesis at length', process.execPath, [
      ...['--import', './tools/typescript.mjs', 'tools/schemathesis.ts', '--long'],
    ]),
  gate: () =>
    runTool('processor time relative to what was recorded', process.execPath, [
      ...['--import', './tools/typescript.mjs', 'tools/bench.ts', '--gate'],
    ]),
  long: () => runTool('long tests', 'npm', ['run', '--silent', 'test:long']),
  properties: runProperties,
  samples: runSamples,
  stryker: runStryker,
  interrupts: () => interruptAtLength(report, endings),
  kills: () => killAtLength(report, endings),
}
const FUZZ = ['test', './series', '-run', '^$', '-fuzz', 'FuzzBucketHoldsItsValue', '-fuzztime', '3000000x']

let total = 0
let failed = 0

const chosen = Object.entries(SECTIONS).filter(([name]) => matchesGlob(values.only, name))
if (chosen.length === 0) {
  const names = Object.keys(SECTIONS)
  const listed = 'SECTIONS in tools/nightly.ts lists all sections.'
  const problem = `--only: no section matches ${JSON.stringify(values.only)}`
  exitWith('nightly', unknownName(problem, { name: values.only, names, listed }))
}
for (const [name, run] of chosen) {
  try {
    await run()
  } catch (error) {
    // The other sections still run.
    report(`section ${name}`, `ended early: ${error instanceof Error ? error.stack : error}`)
  }
}
if (total === 0)
  exitWith('nightly', new BreakwaterError(`--cases: no case contains ${JSON.stringify(values.cases)}`))
console.log(`${total - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function report(name: string, problem: string | undefined, found?: string): void {
  total++
  if (problem !== undefined) failed++
  console.log(problem === undefined ? `ok      ${name}` : `FAILED  ${name}: ${problem}`)
  if (found !== undefined) console.log(`        ${found}`)
}

async function runMutants(): Promise<void> {
  const matrix = await runMatrix({
    pools: sets.flatMap((choices) => poolMutants(PROBED_MUTANTS, { choices, sizeMax: POOL })),
    jobs: JOBS,
    runMutant: (mutant, choices) => runMutant(mutant, { choices }),
    onCell: ({ mutant, choices, problem }) => report(`mutant ${mutant.name}, choices ${choices}`, problem),
  })
  console.log(matrixSummary(matrix))
}

async function runSeeds(): Promise<void> {
  const seeds = SEEDS.map((seed) => ({ name: `seed ${seed}`, seed }))
  // A world may lack data for some rules, which then stay inconclusive; none may fail.
  const worlds = worldNames().map((world) => ({ name: `world ${world}`, world, strict: false }))
  const run = (runs: readonly ({ name: string } & Parameters<typeof runMutant>[1])[], jobs: number) =>
    sideBySide(runs, jobs, async ({ name, ...options }) => {
      report(`${name}, choices ${options.choices}`, (await runMutant(null, options)).problem)
    })
  for (const choices of sets) {
    await run(
      seeds.map((seed) => ({ ...seed, choices })),
      JOBS,
    )
    // All runs share one heap, and each replica has its own index of the world.
    await run(
      worlds.map((world) => ({ ...world, choices })),
      CHOICE_SETS[choices].deployment.replicas > 0 ? 1 : 2,
    )
  }
}

async function runCapacity(): Promise<void> {
  const k6 = await findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: console.error })
  await proveCapacity({ k6, report, only: values.cases })
  if (STORM.includes(values.cases)) await proveStorm(report)
}

async function runQueueing(): Promise<void> {
  const k6 = await findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: console.error })
  await proveQueueing({ k6, report })
}

/** Runs property tests with values that no other run had. A failure reports its seed. */
function runProperties(): void {
  const found = execFileSync('git', ['grep', '-l', "from 'fast-check'", '--', '*.test.ts'], {
    encoding: 'utf8',
  })
  const files = found.trim().split('\n')
  const args = ['vitest', 'run', '--reporter=agent', '--testTimeout=600000', ...files]
  runTool(`properties of ${files.length} files, 2,000 draws each`, 'npx', args, {
    env: {
      ...process.env,
      BREAKWATER_PROPERTY_SEED: String(randomInt(2 ** 31)),
      BREAKWATER_PROPERTY_RUNS: '2000',
    },
  })
}

/** Runs everything in test files that CI only samples; the section `mutants` has those of tools/mutants. */
function runSamples(): void {
  const drawing = ['sampleByTree', 'shuffleByTree', 'sampleNames', 'IN_FULL'].flatMap((name) => ['-e', name])
  const paths = ['*.test.ts', ':!tools/mutants', ':!tools/test']
  const found = execFileSync('git', ['grep', '-l', ...drawing, '--', ...paths], { encoding: 'utf8' })
  const files = found.trim().split('\n')
  const args = ['vitest', 'run', '--reporter=agent', '--testTimeout=600000', ...files]
  runTool(`full runs of ${files.length} files that CI samples`, 'npx', args, {
    env: { ...process.env, BREAKWATER_SAMPLES: 'all' },
  })
}

/** `--cases` mutates only these files: a glob. Its packages are not among those of `npm ci`. */
function runStryker(): void {
  execFileSync('npm', ['ci'], { cwd: projectPath('tools/stryker'), stdio: ['ignore', 'ignore', 'inherit'] })
  runTool('mutants of our own code', process.execPath, [
    'tools/stryker/node_modules/@stryker-mutator/core/bin/stryker.js',
    ...['run', 'tools/stryker/stryker.config.mjs'],
    ...(values.cases === '' ? [] : ['--mutate', `${values.cases},!**/*.test.ts,!**/test-*.ts`]),
  ])
}

function runTool(
  name: string,
  command: string,
  args: readonly string[],
  { cwd = projectPath('.'), env = process.env } = {},
): void {
  const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  report(name, status === 0 ? undefined : `${command} exited with ${status}, see above`)
}
