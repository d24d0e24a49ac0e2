import { only } from '../deviations/conditions.ts'
import type { Answer, Asked, RestDeviation, Sent } from '../deviations/deviation.ts'
import { edit, type Fields, rest, stale, success } from '../deviations/reactions.ts'
import { valueAt } from '../examples/demo-client.ts'
import type { DeviationTable } from './mutant-table.ts'
import { setAt } from './set-at.ts'

const ROUTE = 'GET /route'
const isMultiHop = only((asked) => hopsOf(asked).length > 1)

/** Other ways to break the revisions of routes, and their absence. */
export const HOP_SYMPTOMS = {
  'route-none-null': routed('none.404', 'a pair without a route returns 200 with null', {
    of: [404],
    reply: success(() => ({ data: null })),
  }),
  'route-revision-stuck-multi-hop': routed(
    'revision.catches-up',
    'routes of several hops stay at the first revision',
    { when: isMultiHop, reply: revised(() => 0) },
  ),
  'route-cached-for-good': routed('revision.catches-up', 'each wallet gets its first route again, for good', {
    reply: stale,
  }),
} as const satisfies DeviationTable

type Reaction = (answer: Answer) => Sent

function routed(rule: string, breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks, rules: [`route.${rule}`], deviates: rest(ROUTE, deviates) }
}

function hopsOf({ body, choices }: Asked): Fields[] {
  const hops = valueAt(body, choices.profile.route.hops)
  return Array.isArray(hops) ? hops : []
}

function revised(change: (revision: number) => number): Reaction {
  return edit((body, { choices: { profile, wire } }) => {
    const { protocolRevision } = profile.route
    setAt(body, protocolRevision, wire.revision(change(Number(valueAt(body, protocolRevision)))))
  })
}
