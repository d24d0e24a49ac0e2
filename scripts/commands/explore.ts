import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { readJsonFile, readRegularFile } from '../../contract/json-file.ts'
import { INTERFACE_VERSION } from '../../contract/limits.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import { rejectOtherCases } from '../../contract/repro-case.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { type ExploreCase, exploreCaseSchema, nameCase } from '../../explore/explore-case.ts'
import {
  confirmSequence,
  type ExploreFinding,
  type ExploreProgress,
  type NextStage,
  searchSequences,
} from '../../explore/search.ts'
import { COMMAND_KINDS, type CommandKind, type Sequence } from '../../explore/sequence.ts'
import { listUnavailable, type Waits } from '../../explore/target.ts'
import { CASES_HINT, writeCaseFile, writeCases } from '../../hunt/hunt-case.ts'
import { caseLines, exploreLines } from '../../reports/explore-text.ts'
import { countText } from '../../reports/hunt-text.ts'
import { writeExploration } from '../../reports/render-explore.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { buildExploreReport } from '../explore/build-explore-report.ts'
import { openGivenTarget, openStubTarget } from '../explore/open-target.ts'
import { type OpenTarget, withStages } from '../explore/stages.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { requireWritableFolder } from '../make-folder.ts'
import { showProgress } from '../progress/show-progress.ts'
import { findMutant, mutantOrTarget } from '../runs/plan.ts'
import { makeRunDir, requireFreeOutput } from '../runs/run-folder.ts'
import { mustHaveTarget } from '../target/permission.ts'
import { commandLine, paintFor } from '../terminal-text.ts'

export type ExploreOptions = {
  io: Io
  target?: string
  confirm?: readonly string[]
  maxRequests?: number
  includeSlow?: true
  /** Milliseconds. */
  budget: number
  maxSequences?: number
  maxFindings?: number
  commands: string
  case?: string
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
  output?: string
  cases: string
  json?: true
}

const TARGET_REQUESTS_MAX = 50_000

/**
 * Returns 1 if a violation was confirmed, 4 if nothing could be judged, else 0. Throws a BreakwaterError: usage for a bad option,
 * environment if the target does not respond.
 */
export async function runExplore(options: ExploreOptions): Promise<ExitCode> {
  const { io, target } = options
  mutantOrTarget(options)
  mustHaveTarget(options)
  loadWorldFixture(options.world)
  findMutant(options.mutant)
  const kinds = matchKinds(options.commands)
  if (options.output !== undefined) await requireFreeOutput(options.output, io.cwd)
  const given = options.case === undefined ? null : await readCase(options.case, io)
  if (given && given.stub === null && target === undefined) {
    throw new BreakwaterError(`${options.case}: this case was found on the target ${given.target}`, {
      hint: 'Name its profile with --target.',
    })
  }
  if (given === null) {
    await requireWritableFolder(resolve(io.cwd, options.cases), { shown: options.cases, hint: CASES_HINT })
  }
  const open = () => openTarget(options, given)
  return withStages({ open, isFresh: target === undefined }, (stages) =>
    given ? repeatCase(options, given, stages) : explore(options, kinds, stages),
  )
}

type Stages = Parameters<Parameters<typeof withStages>[1]>[0]

function openTarget(options: ExploreOptions, given: ExploreCase | null): Promise<OpenTarget> {
  const { io, target, confirm, includeSlow, world, seed, choices, mutant } = options
  if (target !== undefined)
    return openGivenTarget(target, { io, confirm, isSlowAllowed: includeSlow === true })
  const stub = { world, seed, choices, mutant: mutant ?? null, ...given?.stub }
  return openStubTarget(
    { ...stub, mutant: findMutant(stub.mutant ?? undefined)?.name ?? null },
    io.interrupted,
  )
}

async function explore(
  options: ExploreOptions,
  chosen: readonly CommandKind[],
  { nextStage, target, sent }: Stages,
): Promise<ExitCode> {
  const {
    io,
    seed,
    maxSequences,
    maxFindings,
    maxRequests = options.target === undefined ? null : TARGET_REQUESTS_MAX,
  } = options
  const startedAt = new Date()
  const startedMs = performance.now()
  const unavailable = listUnavailable(target)
  const kinds = chosen.filter((kind) => !unavailable.has(kind))
  if (!kinds.includes('sign-in')) throw cannotSignIn(unavailable)
  if (options.target !== undefined) announce(io, { name: target.profile.name, maxRequests })
  const isOver = () =>
    io.interrupted.aborted ||
    performance.now() - startedMs >= options.budget ||
    (maxRequests !== null && sent() >= maxRequests)
  let progress: ExploreProgress = { sequences: 0, commands: 0, coverage: 0, findings: 0, shrinking: null }
  const shown = showProgress(io, {
    look: async () => {},
    parts: () => progressParts(progress, target.waits),
  })
  const found = await searchSequences({
    nextStage,
    seed,
    kinds,
    isOver,
    ...(maxSequences !== undefined && { sequencesMax: maxSequences }),
    ...(maxFindings !== undefined && { findingsMax: maxFindings }),
    onProgress(latest) {
      progress = latest
    },
  }).finally(shown.stop)
  if (found.sequences === 0) throwIfInterrupted(io.interrupted)
  const isSpent = maxRequests !== null && sent() >= maxRequests
  const limit = isSpent ? `--max-requests ${maxRequests}` : '--budget'
  const explored =
    found.sequences > 0
      ? found
      : { ...found, unjudged: [{ path: 1, reason: `${limit} was used up before it; raise the limit` }] }
  const { files, failure } = writeCases(explored.findings, (finding) =>
    writeCase(finding, options, target.profile.name),
  )
  const report = buildExploreReport(explored, {
    files,
    startedAt,
    command: commandLine(io.argv),
    target: target.profile.name,
    seed,
    requests: sent(),
    unavailable,
  })
  const written = await makeRunDir({
    job: 'explore',
    out: options.output ?? null,
    cwd: io.cwd,
    now: startedAt,
  })
  await writeExploration(written.dir, report).finally(written.release)
  if (options.json) io.document(JSON.stringify(report, null, 2))
  else {
    for (const line of exploreLines(report, paintFor(io))) io.stdout(line)
    io.stdout(`Report: ${join(written.shown, RUN_FILES.exploreHtml)}`)
  }
  if (failure !== undefined) throw failure
  return report.exitCode
}

function announce(io: Io, { name, maxRequests }: { name: string; maxRequests: number | null }): void {
  io.log(`target ${name}: signs in, creates sessions, API tokens and sockets, and ends them`)
  if (maxRequests !== null) io.log(`  at most ${maxRequests} requests`)
}

export function progressParts(
  { sequences, commands, coverage, findings, shrinking }: ExploreProgress,
  waits: Pick<Waits, 'text'> | undefined,
): string[] {
  const waited = waits?.text() ?? ''
  return [
    countText(findings, 'finding'),
    `${countText(sequences, 'sequence')} (${commands} commands)`,
    `coverage ${coverage}`,
    ...(shrinking === null ? [] : [`shrinking ${shrinking}`]),
    ...(waited === '' ? [] : [`waited ${waited}`]),
  ]
}

/** Throws a BreakwaterError (usage) that lists similar names. */
function matchKinds(globs: string): CommandKind[] {
  const patterns = globs.split(',').map((glob) => glob.trim())
  const unmatched = patterns.find((pattern) => !COMMAND_KINDS.some((kind) => matchesGlob(pattern, kind)))
  if (unmatched !== undefined) {
    throw unknownName(`--commands: no command matches ${JSON.stringify(unmatched)}`, {
      name: unmatched,
      names: COMMAND_KINDS,
      listed: 'docs/guides/explore.md lists the commands.',
    })
  }
  // No other command works without a session.
  return COMMAND_KINDS.filter(
    (kind) => kind === 'sign-in' || patterns.some((pattern) => matchesGlob(pattern, kind)),
  )
}

function cannotSignIn(unavailable: ReadonlyMap<CommandKind, string>): BreakwaterError {
  return new BreakwaterError(`explore cannot follow sessions: ${unavailable.get('sign-in')}`, {
    hint: 'Add the choice to the profile: docs/reference/profile.md.',
  })
}

/** Throws a BreakwaterError (usage) that names the file and every problem in it. */
function readCase(file: string, io: Io): Promise<ExploreCase> {
  return readJsonFile({
    file: resolve(io.cwd, file),
    shown: file,
    schema: exploreCaseSchema,
    what: 'case of `explore`',
    read: readRegularFile,
    recognize: rejectOtherCases('explore'),
  })
}

async function repeatCase(
  { io, case: file = '', json }: ExploreOptions,
  { finding: { rule, observed }, sequence }: ExploreCase,
  { nextStage }: Stages,
): Promise<ExitCode> {
  await requireWallets(file, sequence, nextStage)
  const { times, of, shown } = await confirmSequence(sequence, rule, nextStage)
  throwIfInterrupted(io.interrupted)
  const repeated = { file, rule, saved: observed, times, of, steps: shown?.steps ?? [] }
  const seen = shown?.finding?.observed ?? null
  if (json) io.document(JSON.stringify({ ...repeated, observed: seen }, null, 2))
  else for (const line of caseLines({ ...repeated, observed: seen }, paintFor(io))) io.stdout(line)
  return times > 0 ? EXIT.failed : EXIT.ok
}

/** Throws a BreakwaterError (usage) if the target has too few wallets: commands of the others would never be sent. */
async function requireWallets(file: string, sequence: Sequence, nextStage: NextStage): Promise<void> {
  const places = sequence.flat().map((command) => (command.do === 'sign-in' ? command.wallet : 0))
  const needed = Math.max(...places) + 1
  const { wallets } = await nextStage()
  if (wallets.length >= needed) return
  throw new BreakwaterError(
    `${file}: this case needs ${needed + 1} wallets, one of them for the witness; the target has ${wallets.length + 1}`,
    {
      hint: 'Add wallets to the file that credentials.wallets names, with a private key or a signer.',
    },
  )
}

/** Returns the name of the file as the user would write it. Throws a BreakwaterError (environment) if it cannot be written. */
function writeCase(
  { rule, command, expected, observed, path, sequence }: ExploreFinding,
  { io, cases, target, world, seed, choices, mutant }: ExploreOptions,
  name: string,
): string {
  const written = exploreCaseSchema.parse({
    specification: INTERFACE_VERSION,
    finding: { rule, command, expected, observed },
    stub: target === undefined ? { world, seed, choices, mutant: mutant ?? null } : null,
    target: name,
    seed,
    path,
    sequence,
  })
  return writeCaseFile(nameCase(written), written, { folder: resolve(io.cwd, cases), shown: cases })
}
