/** Runs a sequence against a target, explains each turn by the model, and cleans up. */
import type { Wallet } from '../contract/profile.ts'
import { findOrder } from './find-order.ts'
import { createJar, type Jar, sessionHeaders } from './jar.ts'
import { isSuccess } from './model/credentials.ts'
import { explain } from './model/explain.ts'
import { type Done, EMPTY, type Profiled, type State, type Violation } from './model/state.ts'
import { perform, type Scene } from './perform.ts'
import { type Command, describeCommand, type Sequence } from './sequence.ts'
import { openSession } from './sign-in.ts'
import type { ExploreTarget } from './target.ts'
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
  /** True if several commands were under way at once. */
  isConcurrent: boolean
}

export type SequenceRun = {
  steps: readonly Step[]
  finding: SequenceFinding | null
  /** Why the model could not follow the sequence to its end. */
  unjudged: string | null
  /** Figures for coverage: commands with their statuses, pairs, model states. */
  seen: ReadonlySet<string>
}

export type Stage = {
  target: ExploreTarget
  witness: Witness
  /** Those of this run: at best, no run has used them before. */
  wallets: readonly Wallet[]
}

/** The reason for a sequence of which no request got a response. */
export const NO_RESPONSE = 'the target did not respond'

/** Pauses before a list is read again: lists may lag behind. */
const LIST_PAUSES_MS = [500, 1500, 3000]

export async function runSequence(sequence: Sequence, stage: Stage): Promise<SequenceRun> {
  const scene: Scene = { ...stage, jar: createJar() }
  try {
    return await runTurns(sequence, scene)
  } finally {
    await cleanUp(scene)
  }
}

async function runTurns(sequence: Sequence, scene: Scene): Promise<SequenceRun> {
  const { target } = scene
  const profiled = readProfile(target)
  const steps: Step[] = []
  const seen = new Set<string>()
  const startedMs = target.nowMs()
  let states: readonly State[] = [EMPTY]
  let place = 0
  let before = ''
  let isGone = sequence.length > 0
  for (const [turn, commands] of sequence.entries()) {
    if (target.interrupted.aborted) break
    const performed = async (command: Command): Promise<Done | null> => {
      const callAt = ++place
      const callMs = target.nowMs()
      const outcome = await perform(command, scene)
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
    const performedAll = all.filter((done) => done !== null)
    let order = findOrder(states, performedAll, explainDone)
    const [only] = commands
    if (commands.length === 1 && only?.do.startsWith('list-'))
      for (const ms of LIST_PAUSES_MS) {
        if (!('violation' in order)) break
        await target.pass(ms)
        const again = await performed(only)
        order = findOrder(states, again ? [again] : [], explainDone)
      }
    if ('violation' in order) {
      const { violation, done } = order
      const isConcurrent = performedAll.length > 1
      const finding = { ...violation, turn, command: describeCommand(done.command), isConcurrent }
      return { steps, finding, unjudged: null, seen }
    }
    if (order.states === null)
      return {
        steps,
        finding: null,
        seen,
        unjudged: `too many orders of the ${performedAll.length} commands of a turn`,
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

/** An abstract of a state: how many of each are in which condition. */
function summarizeState({ sessions, tokens, sockets }: State): string {
  const count = (area: Readonly<Record<string, { status: string }>>) => {
    const counts: Record<string, number> = {}
    for (const { status } of Object.values(area)) counts[status] = Math.min(3, (counts[status] ?? 0) + 1)
    return JSON.stringify(Object.entries(counts).sort())
  }
  return `state ${count(sessions)}${count(tokens)}${count(sockets)}`
}

/** Closes sockets, revokes API tokens and ends sessions. Failures leave what expires by itself. */
async function cleanUp({ target, jar, wallets }: Scene): Promise<void> {
  for (const socket of jar.sockets.values()) socket.close()
  for (const [place, wallet] of wallets.entries()) {
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
      if (!isSuccess(await target.request({ method: 'DELETE', path, headers }))) return false
    }
    return isSuccess(await target.request({ method: 'POST', path: '/auth/logout-all', headers }))
  }
  for (const session of jar.sessions.values())
    if (session.wallet === place && (await end(sessionHeaders(session, choices)))) return
  if (tokens.length === 0) return
  const { session } = await openSession(target, wallet)
  if (session) await end(sessionHeaders(session, choices))
}
