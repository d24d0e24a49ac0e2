import { valueAt } from '../demo-client.ts'
import { all, between, only } from './conditions.ts'
import type { Condition, Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, error, header, rest, rewrite, setAt, success } from './reactions.ts'
import { takenAway } from './route-symptoms.ts'

const ROUTE = 'GET /route'
const STATE = 'GET /protocol/state'

export const ROUTE_MUTANTS = {
  'route-4-hops': {
    breaks: 'routes with four hops are returned',
    rules: ['route.hops.at-most-3'],
    deviates: { limits: { routeHops: 4 } },
  },
  'route-pool-number': {
    breaks: 'the pool of a hop is a JSON number',
    rules: ['route.hops.exact-ids'],
    deviates: rest(ROUTE, {
      reply: edit((body, { choices: { profile } }) => {
        const { hops, hop } = profile.route
        for (const one of valueAt(body, hops) as object[]) setAt(one, hop.pool, 7) // as: hops of the stub's route
      }),
    }),
  },
  'route-none-400': {
    breaks: 'a pair without a route returns 400',
    rules: ['route.none.404'],
    deviates: rest(ROUTE, { of: [404], reply: error(400, 'the request is malformed') }),
  },
  'route-revision-missing': {
    breaks: 'routes have no revision',
    rules: ['route.revision.present'],
    deviates: rest(ROUTE, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.route.protocolRevision, undefined)),
    }),
  },
  'route-revision-stuck': {
    breaks: 'routes stay at the first revision',
    rules: ['route.revision.catches-up'],
    deviates: rest(ROUTE, {
      reply: edit((body, { choices: { profile, wire } }) =>
        setAt(body, profile.route.protocolRevision, wire.revision(0)),
      ),
    }),
  },
  'route-amount-number': {
    breaks: 'the output amount of a route is a JSON number',
    rules: ['route.amount.exact'],
    deviates: rest(ROUTE, {
      reply: edit((body, { choices: { profile } }) => {
        const { amountOut } = profile.route
        setAt(body, amountOut, Number(valueAt(body, amountOut)))
      }),
    }),
  },
  'route-amount-zeros': {
    breaks: 'leading zeros of an amount are accepted',
    rules: ['route.amount.canonical'],
    deviates: takenAway(/^0+/),
  },
  'route-amount-comma': {
    breaks: 'an amount with a decimal comma is accepted',
    rules: ['route.amount.canonical'],
    deviates: takenAway(/,0+$/),
  },
  'route-amount-spaces': {
    breaks: 'an amount grouped by spaces is accepted',
    rules: ['route.amount.canonical'],
    deviates: takenAway(/(?<=[0-9]) (?=[0-9])/g),
  },
  'route-open': {
    breaks: '/route responds without a valid credential',
    rules: ['route.credentials.missing-401', 'route.credentials.invalid-401'],
    deviates: rest(ROUTE, { of: [401], reply: success(() => ({ data: {} })) }),
  },
  'protocol-revision-missing': {
    breaks: '/protocol/state has no revision',
    rules: ['protocol.state.revision'],
    deviates: rest(STATE, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.protocolState.revision, undefined)),
    }),
  },
  'protocol-pending-without-code': {
    breaks: 'the 503 of a pending revision has no code',
    rules: ['protocol.pending.503'],
    deviates: rest(STATE, { of: [503], reply: edit((body) => void delete body.code) }),
  },
  'protocol-pending-served': {
    breaks: 'a future minimum_revision is served anyway',
    rules: ['protocol.pending.503', 'protocol.minimum.served'],
    deviates: rest(STATE, {
      when: between('minimum_revision', 0),
      request: rewrite((query) => query.delete('minimum_revision')),
    }),
  },
  'protocol-pending-without-error': {
    breaks: 'the 503 of a pending revision has no `error`',
    rules: ['protocol.pending.error-body'],
    deviates: rest(STATE, { of: [503], reply: edit((body) => void delete body.error) }),
  },
  'protocol-pending-without-wait': {
    breaks: 'the 503 of a pending revision has no Retry-After',
    rules: ['protocol.pending.retry-after'],
    deviates: rest(STATE, { of: [503], reply: header('retry-after', undefined) }),
  },
  'protocol-minimum-undercut': {
    breaks: '/protocol/state returns the revision before the requested minimum',
    rules: ['protocol.minimum.served'],
    deviates: rest(STATE, {
      when: between('minimum_revision', 1),
      reply: edit((body, { query, choices: { profile, wire } }) => {
        const minimum = Number(query.get('minimum_revision'))
        setAt(body, profile.protocolState.revision, wire.revision(minimum - 1))
      }),
    }),
  },
  'protocol-minimum-exclusive': {
    breaks: 'the current revision is pending',
    rules: ['protocol.minimum.current'],
    deviates: pending((minimum, current) => minimum === current),
  },
  'protocol-minimum-exact': {
    breaks: 'a minimum_revision below the current one is pending',
    rules: ['protocol.minimum.older'],
    deviates: pending((minimum, current) => minimum > 0 && minimum < current),
  },
} as const satisfies DeviationTable

/** Treats some minimum revisions as still to come. */
function pending(isMeant: (minimum: number, current: number) => boolean): Deviation {
  const isPending: Condition = only(({ query, request }) =>
    isMeant(Number(query.get('minimum_revision')), request.views.protocolState().revision),
  )
  return rest(STATE, {
    when: all(between('minimum_revision', 0), isPending),
    request: rewrite((query) => query.set('minimum_revision', String(Number.MAX_SAFE_INTEGER))),
  })
}
