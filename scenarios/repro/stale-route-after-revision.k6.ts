// The configuration changes after a route was issued: one client uses the route anyway, the other requests a
// new one.

import { type Follower, follow, leave, readClientCredential, timePasses } from '../lib/case/follower.ts'
import { actor, beginFaults, outcome, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { readMarket, requestRoute } from '../lib/market/market.ts'
import { pickRevision } from '../lib/pick.ts'
import { request } from '../lib/requests/request.ts'
import { CannotJudge, requireChoice } from '../lib/verdict/judge.ts'
import { judgeRequotes, nextRevisionEvent } from '../probes/revisions.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('stale') }

const PRESENT = 'route.revision.present'
const CATCHES_UP = 'route.revision.catches-up'

export function stale(): Promise<void> {
  return runCase([PRESENT, CATCHES_UP], async (judge) => {
    const stubborn = actor('stubborn-client')
    const right = actor('right-client')
    const path = requireChoice(
      right.profile.choices.route.protocolRevision,
      'the path of the revision of a route',
    )
    const stubbornly = await readClientCredential(stubborn, 0)
    await step('two clients follow configuration changes, and one of them has a route')
    const rooms = ['protocol_config']
    const deaf = await follow({ target: stubborn, credential: stubbornly, rooms })
    const live = await follow({ target: right, credential: await readClientCredential(right, 1), rooms })
    const market = await readMarket(stubborn)
    const pair = market.pairs.find(({ distance }) => distance === 1)
    if (!pair) throw new CannotJudge('no pair to quote')
    const amountIn = market.getUnit(pair.tokenIn)
    const route = await requestRoute(stubborn, { pair, amountIn, credential: stubbornly })
    if (route.status !== 200) throw new CannotJudge(`no route to start with: ${route.evidence()}`)
    const revision = pickRevision(route.json, path)
    judge.that(PRESENT, revision !== undefined, `revision ${revision ?? 'missing'}`, [route.evidence()])

    await step('the configuration changes')
    await beginFaults()
    const event = await nextRevisionEvent(right, live.feed)
    const announced = pickRevision(event?.json, 'data.revision')
    if (announced === undefined) throw new CannotJudge('no revision was announced')
    outcome(stubborn, `uses its route of revision ${revision} after revision ${announced} was announced`)

    await step(
      'the right client reads the new configuration, and requests routes until one has that revision',
    )
    await readConfiguration(live, announced)
    const stale = await judgeRequotes(right, judge, { revision: announced, market })
    outcome(right, `discarded ${stale} stale routes`)
    await leave(live)
    await step('30 seconds later')
    await timePasses(stubborn)
    await leave(deaf)
  })
}

/** Sends the credential even if the read is public: it distinguishes clients at one address. */
async function readConfiguration({ target, credential }: Follower, minimum: bigint): Promise<void> {
  await request(target, {
    method: 'GET',
    path: '/protocol/state',
    query: { minimum_revision: String(minimum) },
    credential,
  })
}
