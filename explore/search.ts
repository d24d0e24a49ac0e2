/** The search: generates sequences, continues those that add to the coverage, and confirms and shrinks each violation. */

import { minimize } from '../hunt/shrink.ts'
import { createRandom } from '../simulator/random.ts'
import { generateSequence } from './generate.ts'
import {
  NO_RESPONSE,
  runSequence,
  type SequenceFinding,
  type SequenceRun,
  type Stage,
  type Step,
} from './run-sequence.ts'
import { type Command, type CommandKind, type Sequence, withoutOrphans } from './sequence.ts'

export type ExploreFinding = SequenceFinding & {
  /** Number of the sequence. The same seed gives the same sequence if the target responds the same. */
  path: number
  sequence: Sequence
  steps: readonly Step[]
  /** How many repetitions showed the violation. */
  confirmed: { times: number; of: number }
}

export type Explored = {
  sequences: number
  commands: number
  findings: readonly ExploreFinding[]
  /** Violations that did not appear again often enough, or could not be repeated before the time was over. */
  unconfirmed: readonly { rule: string; path: number; observed: string }[]
  unjudged: readonly { path: number; reason: string }[]
  /** True if it ended because the target no longer responds. */
  isGone: boolean
  coverage: ReadonlySet<string>
}

export type NextStage = () => Promise<Stage>

export type ExploreProgress = {
  sequences: number
  commands: number
  coverage: number
  findings: number
  shrinking: string | null
}

/** Sequences in a row without any response, before the target counts as gone. */
const GONE_SEQUENCES = 3
/**
 * Repetitions of a sequence, half of which must show the violation. If only one does, or if commands are concurrent, whose order may
 * differ, there are as many again.
 */
const REPETITIONS = 3
const SHRINK_TRIES = 400
/** Tries of a smaller sequence if the violation may not appear every time. */
const VARYING_TRIES = 4
/** Share of the sequences that continue one which added to the coverage. */
const FOLLOWING = 0.3

export async function searchSequences(options: {
  /** The stage of the next run, with other wallets than the last ones. */
  nextStage: NextStage
  seed: number
  kinds: readonly CommandKind[]
  isOver: () => boolean
  sequencesMax?: number
  findingsMax?: number
  onProgress?: (progress: ExploreProgress) => void
}): Promise<Explored> {
  const { nextStage, seed, kinds, isOver, onProgress = () => {} } = options
  const { sequencesMax = Number.POSITIVE_INFINITY, findingsMax = Number.POSITIVE_INFINITY } = options
  const random = createRandom(seed)
  const coverage = new Set<string>()
  const corpus: Sequence[] = []
  const findings = new Map<string, ExploreFinding>()
  const unconfirmed: Explored['unconfirmed'][number][] = []
  const unjudged: Explored['unjudged'][number][] = []
  let sequences = 0
  let lost = 0
  let commands = 0
  let shrinking: string | null = null
  const show = () =>
    onProgress({ sequences, commands, coverage: coverage.size, findings: findings.size, shrinking })
  const run = async (
    sequence: Sequence,
    given: Pick<Stage, 'known' | 'isOver'> = { known: findings, isOver },
  ): Promise<SequenceRun> => {
    const result = await runSequence(sequence, { ...(await nextStage()), ...given })
    commands += result.steps.length
    return result
  }

  while (!isOver() && lost < GONE_SEQUENCES && sequences < sequencesMax && findings.size < findingsMax) {
    const path = ++sequences
    const stream = random.stream(`sequence ${path}`)
    const followed = corpus.length > 0 && stream.float() < FOLLOWING ? stream.pick(corpus) : []
    const start = followed.slice(0, stream.int(0, followed.length))
    const { body, looks } = generateSequence(stream, { kinds, start })
    const sequence = [...body, ...looks]
    const { finding, unjudged: reason, seen } = await run(sequence)
    if (reason !== null) unjudged.push({ path, reason })
    lost = reason === NO_RESPONSE ? lost + 1 : 0
    const known = coverage.size
    for (const each of seen) coverage.add(each)
    if (coverage.size > known && !finding) corpus.push(body)
    show()
    if (!finding || findings.has(finding.rule)) continue
    if (isOver()) {
      unconfirmed.push({ rule: finding.rule, path, observed: finding.observed })
      continue
    }
    shrinking = finding.rule
    show()
    const { rule, turn } = finding
    const confirmed = await examine({
      rule,
      // Later turns did not run.
      sequence: sequence.slice(0, turn + 1),
      run: (each, isOver) => run(each, { known: allExcept(rule), ...(isOver && { isOver }) }),
      isOver,
    })
    shrinking = null
    if (confirmed) findings.set(finding.rule, { path, ...confirmed })
    else unconfirmed.push({ rule: finding.rule, path, observed: finding.observed })
    show()
  }
  const isGone = lost === GONE_SEQUENCES
  return { sequences, commands, findings: [...findings.values()], unconfirmed, unjudged, isGone, coverage }
}

/** Repeats a sequence, and shrinks it if the violation appears again. */
async function examine(given: {
  rule: string
  sequence: Sequence
  run: (sequence: Sequence, isOver?: () => boolean) => Promise<SequenceRun>
  isOver: () => boolean
}): Promise<Omit<ExploreFinding, 'path'> | undefined> {
  const { rule, run, isOver } = given
  const first = await confirm(given.sequence, rule, run)
  if (!isConfirmed(first)) return undefined
  const sequence = await shrinkSequence(given.sequence, {
    triesMax: SHRINK_TRIES,
    async reproduces(smaller) {
      const isVarying = first.times < first.of || isConcurrent(smaller) || dependsOnMarket(smaller)
      const tries = isVarying ? VARYING_TRIES : 1
      for (let tried = 0; tried < tries && !isOver(); tried++)
        if ((await run(smaller, isOver)).finding?.rule === rule) return true
      return false
    },
  })
  const last = await confirm(sequence, rule, run)
  const best = isConfirmed(last) ? { sequence, ...last } : { sequence: given.sequence, ...first }
  const { finding, steps } = best.shown ?? {}
  if (!finding || !steps) return undefined
  return {
    ...finding,
    steps,
    sequence: best.sequence,
    confirmed: { times: best.times, of: best.of },
  }
}

/** Repeats a sequence; `shown` is the last repetition that violated the rule. */
export async function confirmSequence(
  sequence: Sequence,
  rule: string,
  nextStage: NextStage,
): Promise<{ times: number; of: number; shown: SequenceRun | undefined }> {
  const known = allExcept(rule)
  const run = async (each: Sequence) => runSequence(each, { ...(await nextStage()), known })
  return confirm(sequence, rule, run)
}

/** For a run that checks a single rule. */
function allExcept(rule: string): NonNullable<Stage['known']> {
  return { has: (other) => other !== rule }
}

function isConfirmed({ times, of }: { times: number; of: number }): boolean {
  return times >= of / 2
}

function isConcurrent(sequence: Sequence): boolean {
  return sequence.some((turn) => turn.length > 1)
}

/** A comparison shows only rooms of which there happen to be enough events. */
function dependsOnMarket(sequence: Sequence): boolean {
  return sequence.some((turn) => turn.some((command) => command.do === 'hear'))
}

async function confirm(
  sequence: Sequence,
  rule: string,
  run: (sequence: Sequence) => Promise<SequenceRun>,
): Promise<{ times: number; of: number; shown: SequenceRun | undefined }> {
  let times = 0
  let tried = 0
  let shown: SequenceRun | undefined
  for (let of = REPETITIONS; tried < of; tried++) {
    const again = await run(sequence)
    if (again.finding?.rule === rule) {
      times++
      shown = again
    }
    const isOpen = times < REPETITIONS / 2 && (times > 0 || isConcurrent(sequence))
    if (tried === REPETITIONS - 1 && isOpen) of += REPETITIONS
  }
  return { times, of: tried, shown }
}

/** Reduces a sequence to what its violation needs: fewer turns, fewer commands at once, one after the other, simpler commands. */
export async function shrinkSequence(
  given: Sequence,
  { reproduces, triesMax }: { reproduces: (sequence: Sequence) => Promise<boolean>; triesMax: number },
): Promise<Sequence> {
  const rejected = new Set<string>()
  let best = given
  let tries = 0
  const attempt = async (candidate: Sequence): Promise<boolean> => {
    const sequence = withoutOrphans(candidate)
    const key = JSON.stringify(sequence)
    if (key === JSON.stringify(best)) return false
    if (tries >= triesMax || sequence.length === 0 || rejected.has(key)) return false
    tries++
    if (await reproduces(sequence)) {
      best = sequence
      return true
    }
    rejected.add(key)
    return false
  }
  for (let before: Sequence = []; best !== before && tries < triesMax; ) {
    before = best
    await minimize(best, attempt)
    for (let turn = 0; turn < best.length; turn++) {
      const commands = best[turn] ?? []
      if (commands.length > 1) await minimize(commands, (left) => attempt(best.with(turn, [...left])))
    }
    for (let turn = 0; turn < best.length; turn++) {
      const commands = best[turn] ?? []
      if (commands.length > 1)
        await attempt(best.flatMap((each, place) => (place === turn ? commands.map((one) => [one]) : [each])))
      for (const [place, command] of (best[turn] ?? []).entries())
        for (const simpler of listSimpler(command))
          await attempt(best.with(turn, (best[turn] ?? []).with(place, simpler)))
    }
  }
  return best
}

function listSimpler(command: Command): Command[] {
  if ((command.do === 'subscribe' || command.do === 'unsubscribe') && command.rooms.length > 1) {
    const { rooms } = command
    const half = Math.ceil(rooms.length / 2)
    return [rooms.slice(0, 1), rooms.slice(0, half), rooms.slice(half)].map((fewer) => ({
      ...command,
      rooms: fewer,
    }))
  }
  if (command.do === 'page')
    return PARAMETERS.filter((name) => command[name] !== undefined).map((name) => {
      const { [name]: _, ...fewer } = command
      return fewer
    })
  if ('csrf' in command && command.csrf !== 'right') return [{ ...command, csrf: 'right' }]
  if (command.do === 'refresh' && command.cookie !== 'current') return [{ ...command, cookie: 'current' }]
  return []
}

const PARAMETERS = ['limit', 'offset', 'window', 'order', 'isSorted', 'search', 'pool'] as const
