/** Sessions: sign-in, refresh, logout, logout-all, revocation and the list (Authentication 4, 5 and 11; States and transitions). */
import type { CommandOf } from '../sequence.ts'
import {
  ACCESS_SURE_MS,
  describeStatus,
  expectCredential,
  explainUse,
  isSuccess,
  isTransient,
  REVIVED_RULES,
} from './credentials.ts'
import {
  type Done,
  type EndKind,
  type Explained,
  type Generation,
  mapEntries,
  type Profiled,
  put,
  type SessionState,
  type State,
  type Violation,
} from './state.ts'

/** Clocks and delays, when the grace time is measured. */
const SLACK_MS = 1000
/** The lifetime of refresh tokens is not stated: only that they outlive the access session. */
const REFRESH_SURE_MS = 20 * 60_000

export function explainSignIn(state: State, done: Done<CommandOf<'sign-in'>>): Explained {
  const { command, outcome, returnMs, isAlone } = done
  // How many challenges of a wallet may be open at once is not stated.
  if (isTransient(outcome) || (!isSuccess(outcome) && !isAlone)) return [state]
  if (!isSuccess(outcome))
    return {
      rule: 'auth.verify.signs-in',
      expected: 'a success, because the signature is valid and the wallet has access',
      observed: describeStatus(outcome),
    }
  const session: SessionState = {
    wallet: command.wallet,
    status: 'active',
    endedBy: null,
    endedAt: 0,
    current: 0,
    generations: [{ grantedMs: returnMs, replacedMs: null, replacedFromMs: null }],
    spared: null,
  }
  return [put(state, 'sessions', command.as, session)]
}

export function explainRefresh(
  state: State,
  done: Done<CommandOf<'refresh'>>,
  { graceMs }: Profiled,
): Explained {
  const { command, outcome, callAt, callMs } = done
  const session = state.sessions[command.session]
  if (!session || session.status === 'unsure') return [state]
  if (session.status === 'ended') {
    if (!isSuccess(outcome) || session.endedBy === null || callAt < session.endedAt) return [state]
    return {
      rule: REVIVED_RULES[session.endedBy],
      expected: `no new session, because the session ended (${session.endedBy})`,
      observed: describeStatus(outcome),
    }
  }
  const used = outcome.used ?? session.current
  if (used === session.current) return explainCurrent(state, done, session)
  const { replacedMs = null, replacedFromMs = null } = session.generations[used] ?? {}
  const ageMs = replacedMs === null ? 0 : callMs - replacedMs
  const isGraceOver = graceMs !== null && ageMs > graceMs + SLACK_MS
  if (isSuccess(outcome)) {
    if (isGraceOver)
      return {
        rule: 'auth.refresh.replaced-ends',
        expected: `no new session, because the refresh token was replaced ${Math.round(ageMs / 1000)} s before`,
        observed: describeStatus(outcome),
      }
    return grantAgain(state, done, session)
  }
  if (isTransient(outcome)) return [state, unsure(state, command.session)]
  // A token from before the last rotation is no loser of a race, so the grace time is not for it.
  const isOlder = session.generations.some((each) => (each?.replacedMs ?? 0) > (replacedMs ?? 0))
  const ageMsMax = replacedFromMs === null ? 0 : done.returnMs - replacedFromMs
  const mayEnd = graceMs === null || ageMsMax > graceMs - SLACK_MS || isOlder
  return mayEnd ? [state, endSession(state, command.session, { kind: 'reuse', done })] : [state]
}

/** A refresh with the valid token: it rotates. */
function explainCurrent(state: State, done: Done<CommandOf<'refresh'>>, session: SessionState): Explained {
  const { command, outcome, callMs } = done
  const label = command.session
  if (isSuccess(outcome)) {
    const { granted } = outcome
    if (granted === undefined || granted in session.generations)
      return {
        rule: 'auth.refresh.rotates',
        expected: 'a refresh cookie with a new value',
        observed: granted === undefined ? 'no refresh cookie' : 'a value that was used before',
      }
    if (!outcome.hasAccess)
      return {
        rule: 'auth.refresh.sets-access',
        expected: 'an access cookie',
        observed: 'a success without one',
      }
    return [put(state, 'sessions', label, rotate(session, granted, done))]
  }
  if (isTransient(outcome)) return [state, unsure(state, label)]
  const grantedMs = session.generations[session.current]?.grantedMs ?? callMs
  if (callMs - grantedMs > REFRESH_SURE_MS) return [unsure(state, label)]
  const wasRaced = session.current > 0
  return {
    rule: wasRaced ? 'auth.refresh.race-survives' : 'auth.refresh.revives',
    expected: 'a success, because the refresh token is valid and no other refresh was under way',
    observed: describeStatus(outcome),
  }
}

/** Within the grace time, a replaced token may get the winner's cookies, or others of the same session. */
function grantAgain(state: State, done: Done<CommandOf<'refresh'>>, session: SessionState): Explained {
  const { command, outcome, callMs, returnMs } = done
  const { granted } = outcome
  if (granted === undefined || granted in session.generations) return [state]
  const generations = addGeneration(session, granted, {
    grantedMs: returnMs,
    replacedMs: returnMs,
    replacedFromMs: callMs,
  })
  const loses = { ...session, generations }
  return [
    put(state, 'sessions', command.session, rotate(session, granted, done)),
    put(state, 'sessions', command.session, loses),
  ]
}

function rotate(
  session: SessionState,
  granted: number,
  { callMs, returnMs }: Pick<Done, 'callMs' | 'returnMs'>,
): SessionState {
  const replaced = session.generations.map((each, place) =>
    place === session.current && each?.replacedMs === null
      ? { ...each, replacedMs: returnMs, replacedFromMs: callMs }
      : each,
  )
  const generations = addGeneration({ ...session, generations: replaced }, granted, {
    grantedMs: returnMs,
    replacedMs: null,
    replacedFromMs: null,
  })
  return { ...session, current: granted, generations }
}

/** Generations are numbered as their responses arrive, which may not be the order in which they were granted. */
function addGeneration(
  { generations }: SessionState,
  place: number,
  generation: Generation,
): SessionState['generations'] {
  const grown = [...generations]
  grown[place] = generation
  return grown
}

export function explainLogout(
  state: State,
  done: Done<CommandOf<'log-out'> | CommandOf<'log-out-all'> | CommandOf<'revoke-session'>>,
): Explained {
  const { command } = done
  const label = command.session
  const ended = () => {
    if (command.do === 'log-out-all') return [endAll(state, label, done)]
    const target = command.do === 'revoke-session' ? command.of : label
    const isOwn = state.sessions[target]?.wallet === state.sessions[label]?.wallet
    // The response to another wallet's session is open, but that session goes on.
    return [isOwn ? endSession(state, target, { kind: command.do, done }) : state]
  }
  const target = command.do === 'revoke-session' ? state.sessions[command.of] : undefined
  const isForeign = target !== undefined && target.wallet !== state.sessions[label]?.wallet
  const isOver = target !== undefined && target.status !== 'active'
  // A server may want a logout instead.
  const isItself = command.do === 'revoke-session' && command.of === label
  return explainUse(state, done, {
    by: label,
    succeed: ended,
    // That a wrong CSRF token is rejected is not stated, nor what a second revocation returns.
    mayReject: command.csrf !== 'right' || isForeign || isOver || isItself,
    // A logout of a session that has ended changes nothing.
    mayFail: command.do === 'log-out',
  })
}

function endSession(state: State, label: string, { kind, done }: { kind: EndKind; done: Done }): State {
  const session = state.sessions[label]
  if (!session || session.status === 'ended') return state
  const sessions = mapEntries(state.sessions, (each, name) => {
    if (name === label) return { ...each, status: 'ended' as const, endedBy: kind, endedAt: done.returnAt }
    return each.wallet === session.wallet && each.status === 'active' ? { ...each, spared: kind } : each
  })
  return { ...state, sessions, sockets: loosen(state, (by) => by === label) }
}

function endAll(state: State, label: string, done: Done): State {
  const wallet = state.sessions[label]?.wallet
  const sessions = mapEntries(state.sessions, (each) =>
    each.wallet === wallet && each.status !== 'ended'
      ? { ...each, status: 'ended' as const, endedBy: 'log-out-all' as const, endedAt: done.returnAt }
      : each,
  )
  // Only sessions end: an API token ends by its own revocation. Tickets and sockets of the wallet may end too.
  const isOf = (by: string) => state.sessions[by]?.wallet === wallet || state.tokens[by]?.wallet === wallet
  const tickets = mapEntries(state.tickets, (each) => (isOf(each.by) ? { ...each, isUsed: true } : each))
  return { ...state, sessions, tickets, sockets: loosen(state, isOf) }
}

/** It is not stated whether a socket outlives the credential of its ticket. */
export function loosen(state: State, isOf: (credential: string) => boolean): State['sockets'] {
  return mapEntries(state.sockets, (socket) =>
    socket.by.some(isOf) && socket.status === 'open' ? { ...socket, status: 'unsure' as const } : socket,
  )
}

function unsure(state: State, label: string): State {
  const session = state.sessions[label]
  return session ? put(state, 'sessions', label, { ...session, status: 'unsure' }) : state
}

export function explainSessionList(state: State, done: Done<CommandOf<'list-sessions'>>): Explained {
  const { command, outcome, isAlone } = done
  const { listed } = outcome
  return explainUse(state, done, {
    by: command.session,
    succeed: () =>
      // Lists may lag behind, so those of a concurrent turn are not judged.
      (isAlone && listed && expectCredential(state, command.session, done).must === 'work'
        ? findWrongSession(state, { ...done, command }, listed)
        : undefined) ?? [state],
  })
}

function findWrongSession(
  state: State,
  { command, returnMs }: Done<CommandOf<'list-sessions'>>,
  listed: readonly string[],
): Violation | undefined {
  const wallet = state.sessions[command.session]?.wallet
  for (const [label, session] of Object.entries(state.sessions)) {
    const isListed = listed.includes(label)
    if (session.wallet !== wallet && isListed)
      return {
        rule: 'auth.sessions.own-only',
        expected: 'only sessions of the own wallet',
        observed: `${label}, which belongs to another wallet`,
      }
    const grantedMs = session.generations[session.current]?.grantedMs ?? 0
    // It is not stated if the list shows sessions whose access has expired.
    const isActive = session.status === 'active' && returnMs - grantedMs < ACCESS_SURE_MS
    if (session.wallet === wallet && isActive && !isListed)
      return {
        rule: 'auth.sessions.list',
        expected: `${label} in the list, because it is active`,
        observed: `a list without it (${listed.join(', ') || 'none that is known'})`,
      }
  }
  return undefined
}
