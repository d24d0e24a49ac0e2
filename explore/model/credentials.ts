/** Credentials that must be accepted, must be rejected, or may be either (Authentication 5, 6 and 12; States and transitions). */

import type { Done, EndKind, Explained, Outcome, SessionState, State, Violation } from './state.ts'

export type Expectation = { must: 'work' | 'fail' | 'either'; rule: string; reason: string }

const MINUTE_MS = 60_000
/** The specified 15 minutes, with a minute for clocks and delays on either side. */
export const ACCESS_SURE_MS = 14 * MINUTE_MS
const ACCESS_OVER_MS = 16 * MINUTE_MS

const ENDED_RULES: Record<EndKind, string> = {
  'log-out': 'auth.logout.current-only',
  'log-out-all': 'auth.logout-all.every-session',
  'revoke-session': 'auth.sessions.revoke',
  reuse: 'auth.refresh.replaced-ends',
}

/** Rules that an ended session violates if something restores it. */
export const REVIVED_RULES: Record<EndKind, string> = {
  'log-out': 'auth.logout.ends-refresh',
  'log-out-all': 'auth.logout-all.ends-refresh',
  'revoke-session': 'auth.sessions.revoke-ends-refresh',
  reuse: 'auth.refresh.replaced-ends',
}

const SPARED_RULES: Partial<Record<EndKind, string>> = {
  'log-out': 'auth.logout.current-only',
  'revoke-session': 'auth.sessions.revoke',
}

const EITHER: Expectation = { must: 'either', rule: '', reason: '' }

/** Decides what must happen to a request with the credential of this label. */
export function expectCredential(state: State, label: string, done: Done): Expectation {
  const session = state.sessions[label]
  if (session) return expectSession(session, done)
  const token = state.tokens[label]
  if (!token || token.status === 'unsure') return EITHER
  if (token.status === 'active')
    return token.isSpared
      ? {
          must: 'work',
          rule: 'api-token.revoke.own-only',
          reason: 'only another wallet has revoked the API token',
        }
      : { must: 'work', rule: 'api-token.bearer.works', reason: 'the API token is active' }
  if (done.callAt < token.endedAt) return EITHER
  return { must: 'fail', rule: 'api-token.revoke.ends', reason: 'the API token was revoked' }
}

function expectSession(session: SessionState, { outcome, callAt, callMs, returnMs }: Done): Expectation {
  if (session.status === 'unsure') return EITHER
  if (session.status === 'ended') {
    // A request under way while its session ends may be served.
    if (session.endedBy === null || callAt < session.endedAt) return EITHER
    return {
      must: 'fail',
      rule: ENDED_RULES[session.endedBy],
      reason: `the session ended (${session.endedBy})`,
    }
  }
  const used = outcome.used ?? session.current
  const generation = session.generations[used]
  if (!generation) return EITHER
  // Old cookies first: whether they still work is open until they expire.
  if (callMs - generation.grantedMs > ACCESS_OVER_MS)
    return {
      must: 'fail',
      rule: 'auth.session.expires-15-min',
      reason: 'the access session has expired',
    }
  if (used !== session.current || returnMs - generation.grantedMs > ACCESS_SURE_MS) return EITHER
  const { spared } = session
  if (spared !== null)
    return {
      must: 'work',
      rule: SPARED_RULES[spared] ?? 'auth.verify.signs-in',
      reason: `the session is active: another one ended (${spared})`,
    }
  return session.current > 0
    ? { must: 'work', rule: 'auth.refresh.sets-access', reason: 'the session was refreshed and is active' }
    : { must: 'work', rule: 'auth.verify.signs-in', reason: 'the session is active' }
}

export function isSuccess({ status }: Pick<Outcome, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Lost, rate limited, or an error of the server: the request may have been executed or not. */
export function isTransient({ status }: Pick<Outcome, 'status'>): boolean {
  return status === 0 || status === 429 || status >= 500
}

/**
 * Explains a request by its credential alone. `succeed` returns the states after it was executed; `mayReject` is true if it may
 * be rejected for another reason.
 */
export function explainUse(
  state: State,
  done: Done,
  {
    by,
    succeed = () => [state],
    mayReject = false,
    mayFail = false,
  }: { by: string; succeed?: () => Explained; mayReject?: boolean; mayFail?: boolean },
): Explained {
  const { outcome } = done
  const expected = expectCredential(state, by, done)
  if (isSuccess(outcome)) {
    if (expected.must === 'fail' && !mayFail) return violate(expected, done, 'a 401')
    return succeed()
  }
  if (isTransient(outcome)) {
    if (outcome.isPersistent && expected.must === 'work') return violate(expected, done, 'a success')
    const executed = succeed()
    return Array.isArray(executed) ? [state, ...executed] : [state]
  }
  if (expected.must === 'work' && !mayReject) return violate(expected, done, 'a success')
  return [state]
}

/**
 * Explains a request whose response `check` judges once its credential is accepted. Without `by`, the endpoint is public, and a
 * 401 or 403 is for `check`.
 */
export function explainChecked(
  state: State,
  done: Done,
  { by, check }: { by: string | undefined; check: () => Violation | undefined },
): Explained {
  const { outcome } = done
  if (isTransient(outcome) && !outcome.isPersistent) return [state]
  if (by !== undefined) {
    const expected = expectCredential(state, by, done)
    if (isSuccess(outcome) && expected.must === 'fail') return violate(expected, done, 'a 401')
    if (isUnauthorized(outcome))
      return expected.must === 'work' ? violate(expected, done, 'neither 401 nor 403') : [state]
    if (!isSuccess(outcome) && expected.must !== 'work') return [state]
  }
  return check() ?? [state]
}

/** Explains a request without a credential to an endpoint that needs one (Authentication 12). */
export function explainWithout(state: State, { outcome }: Done, rule: string): Explained {
  // A request may also be rejected for its parameters, before its credential is checked.
  const isWrong = isSuccess(outcome) || outcome.status === 403 || outcome.isPersistent
  if (!isWrong) return [state]
  return { rule, expected: 'a 401, because the request has no credential', observed: describeStatus(outcome) }
}

export function isUnauthorized({ status }: Pick<Outcome, 'status'>): boolean {
  return status === 401 || status === 403
}

function violate({ rule, reason }: Expectation, { outcome }: Done, expected: string): Violation {
  return { rule, expected: `${expected}, because ${reason}`, observed: describeStatus(outcome) }
}

export function describeStatus({ status, isPersistent }: Outcome): string {
  if (status === 0) return 'no response'
  return `${status}${isPersistent ? ', each time it was sent' : ''}`
}
