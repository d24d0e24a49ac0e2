/** Routes and revisions (Data and trading endpoints; Events; Errors; Versioning). */
import { at, findRevision } from '../../client/exchange.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../../contract/profile.ts'
import type { CommandOf } from '../sequence.ts'
import { describeStatus, explainChecked, explainWithout, isSuccess, isUnauthorized } from './credentials.ts'
import { expect200 } from './lists.ts'
import type { Done, Explained, Outcome, Profiled, State, Violation } from './state.ts'

type RouteDone = Done<CommandOf<'route'>>

export function explainRoute(state: State, done: RouteDone, { choices }: Profiled): Explained {
  const { by } = done.command
  if (by === undefined) return explainWithout(state, done, 'route.credentials.missing-401')
  return explainChecked(state, done, { by, check: () => checkRoute(done, choices.route) })
}

/** Spellings of an amount that are canonical. */
const CANONICAL: readonly string[] = ['unit', 'large']

function checkRoute(
  { command: { amount }, outcome }: RouteDone,
  choices: Choices['route'],
): Violation | undefined {
  const isNull = outcome.status === 200 && at(outcome.body, 'data') === null
  if (!CANONICAL.includes(amount)) {
    if (!isSuccess(outcome)) return undefined
    return {
      rule: 'route.amount.canonical',
      expected: `a 4xx, because the amount is not canonical (${amount})`,
      observed: describeStatus(outcome),
    }
  }
  const distance = outcome.subject?.distance ?? 0
  if (!isSuccess(outcome) || isNull) {
    // Near tokens may have no route, or none for this amount.
    const isOther = isNull || (![404, 451].includes(outcome.status) && distance > LIMITS.routeHopsMax)
    if (outcome.status === 404 && outcome.witnessStatus === 200)
      return {
        rule: 'route.none.404',
        expected: 'a route, which another credential of the wallet gets before and after',
        observed: describeStatus(outcome),
      }
    if (!isOther && !outcome.isPersistent) return undefined
    return {
      rule: 'route.none.404',
      expected:
        distance > LIMITS.routeHopsMax ? 'a 404: no three pools connect the tokens' : 'a route or a 404',
      observed: isNull ? '200 with null' : describeStatus(outcome),
    }
  }
  return checkFields(outcome.body, choices)
}

function checkFields(
  body: unknown,
  { hops, hop, protocolRevision, amountOut }: Choices['route'],
): Violation | undefined {
  const list = at(body, hops)
  const rows = Array.isArray(list) ? list : []
  if (rows.length > LIMITS.routeHopsMax)
    return {
      rule: 'route.hops.at-most-3',
      expected: `at most ${LIMITS.routeHopsMax} hops`,
      observed: `${rows.length} hops`,
    }
  for (const path of [hop.pool, hop.tokenIn, hop.tokenOut])
    for (const row of rows) {
      const id = at(row, path)
      if (path === null || id === undefined || typeof id === 'string') continue
      return {
        rule: 'route.hops.exact-ids',
        expected: `a string at ${path} of each hop`,
        observed: JSON.stringify(id),
      }
    }
  if (typeof at(body, amountOut) === 'number')
    return {
      rule: 'route.amount.exact',
      expected: `a string at ${amountOut}`,
      observed: `the number ${String(at(body, amountOut))}`,
    }
  if (protocolRevision === null || findRevision(body, protocolRevision) !== undefined) return undefined
  return {
    rule: 'route.revision.present',
    expected: `a revision at ${protocolRevision}`,
    observed: JSON.stringify(at(body, protocolRevision)) ?? 'none',
  }
}

const PENDING = 'protocol_revision_pending'

export function explainState(
  state: State,
  done: Done<CommandOf<'read-state'>>,
  { choices }: Profiled,
): Explained {
  const { access, revision } = choices.protocolState
  const { command, outcome } = done
  return explainChecked(state, done, {
    by: access === 'public' ? undefined : command.by,
    check() {
      // Which of two statements about the access holds is not stated.
      if (isUnauthorized(outcome)) return undefined
      if (outcome.status === 503) return checkPending(command, outcome)
      return checkState(command, outcome, revision)
    },
  })
}

function checkState(
  { minimum: kind }: CommandOf<'read-state'>,
  outcome: Outcome,
  path: string | null,
): Violation | undefined {
  const minimum = outcome.subject?.minimum ?? 0
  if (!isSuccess(outcome)) return expect200(MINIMUM_RULES[kind], outcome)
  const revision = findRevision(outcome.body, path)
  if (path === null) return undefined
  if (revision === undefined)
    return { rule: 'protocol.state.revision', expected: `a revision at ${path}`, observed: 'none' }
  if (revision >= minimum) return undefined
  return {
    rule: 'protocol.minimum.served',
    expected: `at least the revision ${minimum}`,
    observed: `the revision ${revision}`,
  }
}

/** Rules about other responses than a revision. */
const MINIMUM_RULES: Record<CommandOf<'read-state'>['minimum'], string> = {
  none: 'protocol.state.revision',
  older: 'protocol.minimum.older',
  current: 'protocol.minimum.current',
  next: 'protocol.pending.503',
}

/** A 503 that was repeated. */
function checkPending({ minimum }: CommandOf<'read-state'>, outcome: Outcome): Violation | undefined {
  const { body, retryAfterMs } = outcome
  const code = at(body, 'code')
  const expected = (rule: string, what: string, observed: unknown): Violation => ({
    rule,
    expected: what,
    observed: `503 with ${JSON.stringify(observed) ?? 'none'}`,
  })
  if (minimum !== 'next')
    return expected(MINIMUM_RULES[minimum], 'a 200, because this revision was seen', code)
  if (code !== PENDING) return expected('protocol.pending.503', `the code ${PENDING}`, code)
  const [error, ref] = [at(body, 'error'), at(body, 'ref') ?? null]
  if (typeof error !== 'string') return expected('protocol.pending.error-body', '`error` as a string', error)
  if (ref !== null && typeof ref !== 'string')
    return expected('protocol.pending.error-body', '`ref` as a string or null', ref)
  if (retryAfterMs !== undefined) return undefined
  return { rule: 'protocol.pending.retry-after', expected: 'a valid Retry-After', observed: '503 without' }
}
