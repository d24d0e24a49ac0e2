/** The sequential behavior of sessions and API tokens, as far as the specification decides it. */
import { isAccepted, isRejected, type Operation } from '../contract/history.ts'
import type { Model } from './linearize.ts'

/** The rules of a family that are enforced; what breaks the others is allowed. */
export type Enforced = ReadonlySet<string>

export const SESSION_RULES = {
  lasts: 'history.session.lasts',
  wins: 'history.session.one-winner',
  ended: 'history.session.stays-ended',
} as const

export const TOKEN_RULES = { lasts: 'history.token.lasts', revoked: 'history.token.stays-revoked' } as const

/** States other than the number of the current refresh token: */
const ENDED = -1
/** The target may have ended it for a reason that the specification leaves open, and may respond in any way. */
const OPEN = -2
/** A refresh without a response may have replaced the refresh token by one that the client never saw. */
const UNSEEN = -3

/**
 * A session. Its state is the number of the current refresh token. `tokens` are all that it may begin with: the first
 * one for a whole history.
 */
export function modelSession(enforced: Enforced, tokens: readonly number[] = [0]): Model {
  const [lasts, wins, ended] = [SESSION_RULES.lasts, SESSION_RULES.wins, SESSION_RULES.ended].map((rule) =>
    enforced.has(rule),
  )
  const isCurrent = (state: number, { argument }: Operation) => argument === state
  const refresh = (state: number, operation: Operation): readonly number[] => {
    const { status, value } = operation
    if (isAccepted(status)) {
      const issued = value ?? UNSEEN
      if (state === ENDED) return ended ? [] : [issued]
      if (!wins || state === UNSEEN || isCurrent(state, operation)) return [issued]
      // Losers of a race may share the session of the winner.
      return issued === state || value === null ? [issued] : []
    }
    // The lifetime of refresh tokens is open, and a target may end a session whose replaced token is used again.
    if (state === ENDED || KEEPS.has(status)) return [state]
    return isRejected(status) ? [state, OPEN] : [state, UNSEEN, OPEN]
  }
  const read = (state: number, operation: Operation): readonly number[] => {
    if (isAccepted(operation.status)) return state === ENDED && ended ? [] : [state]
    // The previous access token may end with a refresh.
    return state !== ENDED && lasts && isCurrent(state, operation) ? [] : [state]
  }
  return {
    initial: tokens,
    next(state, operation) {
      if (operation.kind === 'S') return [state]
      if (state === OPEN) return [OPEN]
      if (operation.kind === 'R') return refresh(state, operation)
      if (operation.kind === 'U') return read(state, operation)
      if (operation.status === 429 || isRejected(operation.status)) return [state]
      return isAccepted(operation.status) ? [ENDED] : [state, ENDED]
    },
  }
}

/** Statuses of a refresh that changes nothing. */
const KEEPS: ReadonlySet<number> = new Set([409, 429])
/** Any token that is not named. */
const OTHER = -4

/** All states that a part of a session may begin with, after the operations before it. */
export function listSessionStates(part: readonly Operation[], before: readonly Operation[]): number[] {
  const named = part.flatMap(({ kind, argument, value }) => (kind === 'S' ? [] : [argument, value]))
  const mayBeOpen = before.some(
    ({ kind, status }) => kind === 'R' && !isAccepted(status) && !KEEPS.has(status),
  )
  return [
    ...new Set([
      ENDED,
      OTHER,
      ...(mayBeOpen ? [OPEN, UNSEEN] : []),
      ...named.filter((token) => token !== null),
    ]),
  ]
}

const ACTIVE = 0
const REVOKED = 1

export function modelToken(enforced: Enforced, initial: readonly number[] = [ACTIVE]): Model {
  const [lasts, revoked] = [TOKEN_RULES.lasts, TOKEN_RULES.revoked].map((rule) => enforced.has(rule))
  return {
    initial,
    next(state, { kind, status }) {
      if (kind === 'C') return [state]
      if (kind === 'D') {
        if (status === 429 || isRejected(status)) return [state]
        return isAccepted(status) ? [REVOKED] : [state, REVOKED]
      }
      if (isAccepted(status)) return state === REVOKED && revoked ? [] : [state]
      return state === ACTIVE && lasts ? [] : [state]
    },
  }
}

export const TOKEN_STATES: readonly number[] = [ACTIVE, REVOKED]
