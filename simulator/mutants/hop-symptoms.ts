import { all, by, from, only } from '../deviations/conditions.ts'
import type { Answer, Asked, Condition, RestDeviation, Sent } from '../deviations/deviation.ts'
import { edit, error, type Fields, hang, page, rest, success } from '../deviations/reactions.ts'
import { valueAt } from '../examples/demo-client.ts'
import type { DeviationTable } from './mutant-table.ts'
import { setAt } from './set-at.ts'

const ROUTE = 'GET /route'
const isMultiHop = only((asked) => hopsOf(asked).length > 1)

/** Other ways to break routes: their hops, revisions and amounts, and to whom they are served. */
export const HOP_SYMPTOMS = {
  'route-hops-doubled': routed('hops.at-most-3', 'a route of several hops has each of them twice', {
    when: isMultiHop,
    reply: hopped((hops) => hops.flatMap((hop) => [hop, hop])),
  }),
  'route-hops-many-later': routed('hops.at-most-3', 'routes have four hops from the third one on', {
    when: from(3),
    reply: hopped((hops) => [hops[0], hops[0], hops[0], hops[0]]),
  }),
  'route-token-number': routed('hops.exact-ids', 'the token into a hop is a JSON number', {
    reply: everyHop((hop, { choices }) => setAt(hop, choices.profile.route.hop.tokenIn, 7)),
  }),
  'route-none-500': unrouted('returns 500', error(500)),
  'route-none-422': unrouted('returns 422', error(422)),
  'route-none-silent': unrouted('never gets a response', hang),
  'route-none-204': unrouted('returns 204', ({ reply }) => {
    reply.code(204)
    return { text: '' }
  }),
  'route-revision-behind': routed('revision.catches-up', 'routes are always one revision behind', {
    reply: revised((revision) => Math.max(0, revision - 1)),
  }),
  'route-revision-stuck-for-tokens': routed(
    'revision.catches-up',
    'API tokens get routes of the first revision',
    { when: by('api-token'), reply: revised(() => 0) },
  ),
  'route-amount-null': routed('amount.exact', 'the amount out of a route is null', {
    reply: edit((body, { choices }) => setAt(body, choices.profile.route.amountOut, null)),
  }),
  'route-amount-number-later': routed(
    'amount.exact',
    'the amount out of a route is a JSON number from the second one on',
    { when: from(2), reply: edit(amountAsNumber) },
  ),
  'route-missing-500': uncredentialed('missing', 'returns 500', error(500)),
  'route-missing-404': uncredentialed('missing', 'returns 404', error(404)),
  'route-missing-redirected': uncredentialed(
    'missing',
    'is redirected to a page for signing in',
    (answer) => {
      answer.reply.header('location', '/auth/challenge')
      return page(302)(answer)
    },
  ),
  'route-invalid-500': uncredentialed('invalid', 'returns 500', error(500)),
  'route-invalid-404': uncredentialed('invalid', 'returns 404', error(404)),
  'route-invalid-served': uncredentialed(
    'invalid',
    'returns 200 with an empty payload',
    success(() => ({ data: {} })),
  ),
} as const satisfies DeviationTable

type Reaction = (answer: Answer) => Sent

function routed(rule: string, breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks, rules: [`route.${rule}`], deviates: rest(ROUTE, deviates) }
}

function unrouted(how: string, reply: Reaction) {
  return routed('none.404', `a pair without a route ${how}`, { of: [404], reply })
}

function uncredentialed(kind: 'missing' | 'invalid', how: string, reply: Reaction) {
  const when: Condition = all(by(kind))
  return routed(`credentials.${kind}-401`, `/route with a ${kind} credential ${how}`, {
    of: [401],
    when,
    reply,
  })
}

function hopsOf({ body, choices }: Asked): Fields[] {
  const hops = valueAt(body, choices.profile.route.hops)
  return Array.isArray(hops) ? hops : []
}

function hopped(change: (hops: Fields[], answer: Answer) => readonly unknown[]): Reaction {
  return edit((body, answer) =>
    setAt(body, answer.choices.profile.route.hops, change(hopsOf(answer), answer)),
  )
}

function everyHop(change: (hop: Fields, answer: Answer) => void): Reaction {
  return edit((_body, answer) => {
    for (const hop of hopsOf(answer)) change(hop, answer)
  })
}

function revised(change: (revision: number) => number): Reaction {
  return edit((body, { choices: { profile, wire } }) => {
    const { protocolRevision } = profile.route
    setAt(body, protocolRevision, wire.revision(change(Number(valueAt(body, protocolRevision)))))
  })
}

function amountAsNumber(body: Fields, { choices: { profile } }: Answer): void {
  const { amountOut } = profile.route
  setAt(body, amountOut, Number(valueAt(body, amountOut)))
}
