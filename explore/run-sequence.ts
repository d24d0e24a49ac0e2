/** Runs a sequence against a target, explains each turn by the model, and cleans up. */
import type { Wallet } from '../contract/profile.ts'
import { findOrder, type Order } from './find-order.ts'
import { createJar, type Jar, sessionHeaders } from './jar.ts'
import { recall } from './memory.ts'
import { isSuccess } from './model/credentials.ts'
import { explain } from './model/explain.ts'
import { type Done, EMPTY, type Profiled, type State, type Violation } from './model/state.ts'
import { perform, type Scene } from './perform.ts'
import { ADMINISTRATOR, type Command, type CommandKind, describeCommand, type Sequence } from './sequence.ts'
import { openSession } from './sign-in.ts'
import type { ExploreTarget } from './target.ts'
import { type ReplyWatch, watchReplies } from './watch-replies.ts'
import type { Witness } from './witness.ts'

/** A command with its outcome, for the timeline. */
export type Step = {
  turn: number
  command: Command
  text: string
  status: string
  atMs: number
  tookMs: number
}

export type SequenceFinding = Violation & {
  /** Turn of the command. */
  turn: number
  command: string
  /** True if several commands were in progress at the same time. */
  isConcurrent: boolean
}

export type SequenceRun = {
  steps: readonly Step[]
  finding: SequenceFinding | null
  /** The reason if the model could not judge the whole sequence. */
  unjudged: string | null
  /** Figures for coverage: commands with their statuses, pairs, model states. */
  seen: ReadonlySet<string>
}

export type Stage = {
  target: ExploreTarget
  witness: Witness
  /** The wallets of this run. If possible, no other run has used them. */
  wallets: readonly Wallet[]
  /** Rules that are known to be violated by single responses. Such a violation does not end a run, so that others can be found. */
  known?: { has(rule: string): boolean }
  /** True if no further turn should start. */
  isOver?: () => boolean
}

/** The reason if no request of a sequence got a response. */
export const NO_RESPONSE = 'the target did not respond'

/** Commands without a response, after which a sequence does not go on: reads are repeated, which takes time. */
const GONE_COMMANDS = 5

/** Pauses before a violation is read again: lists may lag behind, and replicas. */
const READ_PAUSES_MS = [500, 1500, 3000]
type Violated = Extract<Order, { violation: Violation }>
const PUBLIC_READS: readonly CommandKind[] = [
  'page',
  'walk',
  'read-pool',
  'list-registry',
  'route',
  'read-state',
]

/** Rules that a response violates by itself, whatever the exchange knew. */
const NEVER_LATE: readonly string[] = [
  'protocol.minimum.served',
  'protocol.pending.503',
  'paging.swaps.filter',
]

/** Violations that a list or a replica which is behind may show: such reads are repeated. */
function mayBeLate({ violation: { rule }, done: { command, isAlone } }: Violated): boolean {
  const isRead = PUBLIC_READS.includes(command.do) || (isAlone && command.do.startsWith('list-'))
  return isRead && !NEVER_LATE.includes(rule)
}

/** Reads what earlier sequences of this process have claimed for these wallets. */
function recallClaims({ target, wallets }: Scene): State['claims'] {
  const { claims } = recall(target)
  const known = wallets.map(({ address }, place) => [place, claims.get(address)?.acceptedMs ?? null] as const)
  return Object.fromEntries(known.map(([place, acceptedMs]) => [place, { acceptedMs }]))
}

export async function runSequence(
  sequence: Sequence,
  { known = new Set(), isOver = () => false, ...stage }: Stage,
): Promise<SequenceRun> {
  const scene: Scene = { ...stage, jar: createJar() }
  const { target } = stage
  try {
    return await runTurns(sequence, scene, { replies: watchReplies(target), known, isOver })
  } finally {
    await cleanUp(scene)
  }
}

type Watched = { replies: ReplyWatch } & Required<Pick<Stage, 'known' | 'isOver'>>

async function runTurns(
  sequence: Sequence,
  scene: Scene,
  { replies, known, isOver }: Watched,
): Promise<SequenceRun> {
  const { target } = scene
  const profiled = readProfile(target)
  const steps: Step[] = []
  const seen = new Set<string>()
  const startedMs = target.nowMs()
  let states: readonly State[] = [{ ...EMPTY, claims: recallClaims(scene) }]
  let place = 0
  let before = ''
  const wrong: { violation: Violation; command: Command }[] = []
  let isGone = sequence.length > 0
  for (const [turn, commands] of sequence.entries()) {
    if (target.interrupted.aborted || isOver() || (isGone && steps.length >= GONE_COMMANDS)) break
    const performed = async (command: Command): Promise<Done | null> => {
      const callAt = ++place
      const callMs = target.nowMs()
      const note = (violation: Violation) => {
        if (!known.has(violation.rule)) wrong.push({ violation, command })
      }
      const outcome = await perform(command, { ...scene, target: replies.watch(note) })
      if (outcome === null) return null
      const isAlone = commands.length === 1
      // Frames keep their order on the wire.
      const returnAt = command.do.endsWith('subscribe') ? callAt : ++place
      isGone &&= outcome.status === 0
      const done = { command, callAt, callMs, returnAt, returnMs: target.nowMs(), isAlone, outcome }
      const tookMs = done.returnMs - callMs
      const status = describeOutcome(done)
      steps.push({ turn, command, text: describeCommand(command), status, atMs: callMs - startedMs, tookMs })
      seen.add(`${command.do} ${outcome.status}`).add(`${before} > ${command.do}`)
      before = command.do
      return done
    }
    const explainDone = (state: State, done: Done) => explain(state, done, profiled)
    const all = await Promise.all(commands.map(performed))
    const dones = all.filter((done) => done !== null)
    const isConcurrent = dones.length > 1
    const [first] = wrong
    if (first) {
      const finding = { ...first.violation, turn, command: describeCommand(first.command), isConcurrent }
      return { steps, finding, unjudged: null, seen }
    }
    let order = findOrder(states, dones, explainDone)
    for (const ms of READ_PAUSES_MS) {
      if (!('violation' in order) || !mayBeLate(order)) break
      const { done: wrong } = order
      await target.pass(ms)
      const again = await performed(wrong.command)
      dones.splice(dones.indexOf(wrong), 1, ...(again ? [again] : []))
      order = findOrder(states, dones, explainDone)
    }
    if ('violation' in order) {
      const { violation, done } = order
      const finding = { ...violation, turn, command: describeCommand(done.command), isConcurrent }
      return { steps, finding, unjudged: null, seen }
    }
    if (order.states === null)
      return {
        steps,
        finding: null,
        seen,
        unjudged: `too many orders of the ${dones.length} commands of a turn`,
      }
    states = order.states
    for (const state of states) seen.add(summarizeState(state))
  }
  const unjudged = isGone && steps.length > 0 ? NO_RESPONSE : null
  return { steps, finding: null, unjudged, seen }
}

function readProfile({ profile: { choices } }: ExploreTarget): Profiled {
  const { graceSeconds } = choices.refresh
  return {
    graceMs: graceSeconds === null ? null : graceSeconds * 1000,
    tokensMax: choices.apiTokens.maxPerWallet,
    choices,
  }
}

function describeOutcome({ outcome }: Done): string {
  const { status, isSynchronized, heard, closeCode, listed } = outcome
  const counts = heard && Object.values(heard).map(({ witness, socket }) => `${socket} of ${witness}`)
  return [
    ...(status > 0 ? [String(status)] : []),
    ...(isSynchronized === undefined ? [] : [isSynchronized ? 'synchronized' : 'not synchronized']),
    ...(closeCode === undefined ? [] : [`closed ${closeCode}`]),
    ...(listed ? [listed.length > 0 ? listed.join(' ') : 'none of them'] : []),
    ...(counts ? [`events ${counts.join(', ') || 'none'}`] : []),
  ].join(', ')
}

/** A summary of a state: how many sessions, tokens and sockets have each status. */
function summarizeState({ sessions, tokens, sockets }: State): string {
  const count = (area: Readonly<Record<string, { status: string }>>) => {
    const counts: Record<string, number> = {}
    for (const { status } of Object.values(area)) counts[status] = Math.min(3, (counts[status] ?? 0) + 1)
    return JSON.stringify(Object.entries(counts).sort())
  }
  return `state ${count(sessions)}${count(tokens)}${count(sockets)}`
}

/** Closes sockets, revokes API tokens and ends sessions. If this fails, they expire on their own. */
async function cleanUp({ target, jar, wallets }: Scene): Promise<void> {
  for (const socket of jar.sockets.values()) socket.close()
  for (const [place, wallet] of [...wallets.entries(), [ADMINISTRATOR, target.administrator] as const]) {
    if (!wallet) continue
    const tokens = [...jar.tokens.values()].filter((token) => token.wallet === place && !token.isRevoked)
    const wasUsed =
      tokens.length > 0 || [...jar.sessions.values()].some((session) => session.wallet === place)
    if (wasUsed) await cleanWallet({ target, jar, place, wallet, tokens: tokens.map(({ id }) => id) })
  }
}

async function cleanWallet(given: {
  target: ExploreTarget
  jar: Jar
  place: number
  wallet: Wallet
  tokens: readonly string[]
}): Promise<void> {
  const { target, jar, place, wallet, tokens } = given
  const { choices } = target.profile
  const end = async (headers: Record<string, string>): Promise<boolean> => {
    for (const id of tokens) {
      const path = `/api-tokens/${encodeURIComponent(id)}`
      const { status } = await target.request({ method: 'DELETE', path, headers })
      // A 404: it was revoked by a request whose response was lost.
      if (!isSuccess({ status }) && status !== 404) return false
    }
    return isSuccess(await target.request({ method: 'POST', path: '/auth/logout-all', headers }))
  }
  for (const session of jar.sessions.values())
    if (session.wallet === place && (await end(sessionHeaders(session, choices)))) return
  if (tokens.length === 0) return
  const { session } = await openSession(target, wallet)
  if (session) await end(sessionHeaders(session, choices))
}
