import { valueAt } from '../demo-client.ts'
import { by, from, only } from './conditions.ts'
import type { DeviationRequest, DeviationResponse, RestDeviation, Sent } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, error, type Fields, rest, setAt, stale, success } from './reactions.ts'

const ROUTE = 'GET /route'
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
  'route-invalid-empty': routed(
    'credentials.invalid-401',
    '/route returns 200 with an empty payload to an invalid credential',
    { of: [401], when: by('invalid'), reply: success(() => ({ data: {} })) },
  ),
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
