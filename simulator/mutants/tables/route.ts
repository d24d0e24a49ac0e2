import { valueAt } from '../../demo-client.ts'
import { all, between, by, every, from, only } from '../conditions.ts'
import type {
  Condition,
  Deviation,
  DeviationRequest,
  DeviationResponse,
  DeviationTable,
  RestDeviation,
  Sent,
} from '../deviation.ts'
import { edit, error, type Fields, header, rest, rewrite, setAt, stale, success } from '../reactions.ts'
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
    deviates: undercut(between('minimum_revision', 1)),
  },
  'protocol-minimum-undercut-sometimes': {
    breaks: 'every third /protocol/state with a minimum returns the revision before it',
    rules: ['protocol.minimum.served'],
    deviates: undercut(all(between('minimum_revision', 1), every(3))),
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

function undercut(when: Condition): Deviation {
  return rest(STATE, {
    when,
    reply: edit((body, { query, choices: { profile, wire } }) => {
      const minimum = Number(query.get('minimum_revision'))
      setAt(body, profile.protocolState.revision, wire.revision(minimum - 1))
    }),
  })
}

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

const isMultiHop = only((incoming) => listHops(incoming).length > 1)

export const HOP_SYMPTOMS = {
  'route-hops-doubled': routed('hops.at-most-3', 'a route with several hops has each of them twice', {
    when: isMultiHop,
    reply: hopped((hops) => hops.flatMap((hop) => [hop, hop])),
  }),
  'route-hops-many-later': routed('hops.at-most-3', 'routes have four hops from the third one on', {
    when: from(3),
    reply: hopped(([hop]) => [hop, hop, hop, hop]),
  }),
  'route-token-number': routed('hops.exact-ids', 'the input token of a hop is a JSON number', {
    reply: everyHop((hop, { choices }) => setAt(hop, choices.profile.route.hop.tokenIn, 7)),
  }),
  'route-hops-turned': routed('hops.exact-ids', 'the hops of a route exchange their input and output token', {
    reply: everyHop((hop, { choices: { profile } }) => {
      const { tokenIn, tokenOut } = profile.route.hop
      const [input, output] = [valueAt(hop, tokenIn), valueAt(hop, tokenOut)]
      setAt(hop, tokenIn, output)
      setAt(hop, tokenOut, input)
    }),
  }),
  'route-pool-null-multi-hop': routed('hops.exact-ids', 'the pools of a route with several hops are null', {
    when: isMultiHop,
    reply: everyHop((hop, { choices }) => setAt(hop, choices.profile.route.hop.pool, null)),
  }),
  'route-none-500': routed('none.404', 'a pair without a route returns 500', {
    of: [404],
    reply: error(500),
  }),
  'route-amount-number-later': routed(
    'amount.exact',
    'the output amount of a route is a JSON number from the second one on',
    {
      when: from(2),
      reply: edit((body, { choices: { profile } }) => {
        const { amountOut } = profile.route
        setAt(body, amountOut, Number(valueAt(body, amountOut)))
      }),
    },
  ),
  'route-missing-500': routed('credentials.missing-401', '/route returns 500 without a credential', {
    of: [401],
    when: by('missing'),
    reply: error(500),
  }),
  'route-invalid-empty': {
    breaks: '/route returns 200 with an empty payload to an invalid credential',
    rules: [
      'route.credentials.invalid-401',
      'auth.session.expires-15-min',
      'auth.sessions.revoke',
      'auth.logout.current-only',
      'auth.logout-all.every-session',
      'api-token.revoke.ends',
    ],
    deviates: rest(ROUTE, { of: [401], when: by('invalid'), reply: success(() => ({ data: {} })) }),
  },
  'route-none-null': routed('none.404', 'a pair without a route returns 200 with null', {
    of: [404],
    reply: success(() => ({ data: null })),
  }),
  'route-revision-stuck-multi-hop': routed(
    'revision.catches-up',
    'routes with several hops stay at the first revision',
    { when: isMultiHop, reply: revised(() => 0) },
  ),
  'route-cached-for-good': routed('revision.catches-up', 'each wallet keeps getting its first route', {
    reply: stale,
  }),
} as const satisfies DeviationTable

type Reaction = (response: DeviationResponse) => Sent

function routed(rule: string, breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks, rules: [`route.${rule}`], deviates: rest(ROUTE, deviates) }
}

function listHops({ body, choices }: DeviationRequest): Fields[] {
  const hops = valueAt(body, choices.profile.route.hops)
  return Array.isArray(hops) ? hops : []
}

function hopped(change: (hops: Fields[]) => readonly unknown[]): Reaction {
  return edit((body, response) =>
    setAt(body, response.choices.profile.route.hops, change(listHops(response))),
  )
}

function everyHop(change: (hop: Fields, response: DeviationResponse) => void): Reaction {
  return edit((_body, response) => {
    for (const hop of listHops(response)) change(hop, response)
  })
}

function revised(change: (revision: number) => number): Reaction {
  return edit((body, { choices: { profile, wire } }) => {
    const { protocolRevision } = profile.route
    setAt(body, protocolRevision, wire.revision(change(Number(valueAt(body, protocolRevision)))))
  })
}
