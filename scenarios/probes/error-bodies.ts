import { STATED_DATA_PATHS } from '../lib/market/data-paths.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { type RequestSpec, request } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'

const RULE = 'wire.error.body-shape'

/** Requests that are refused by any exchange. */
const REFUSED: readonly Pick<RequestSpec, 'path' | 'query' | 'route'>[] = [
  { path: '/explore/pools', query: { limit: '0' } },
  { path: '/explore/pools', query: { order: 'sideways' } },
  ...[
    ...STATED_DATA_PATHS,
    '/route',
    '/auth/ws-ticket',
    '/auth/sessions',
    '/api-tokens',
    '/referral/codes',
  ].map((path) => ({ path })),
  { path: '/pools/no-such-pool', route: '/pools/{key}' },
]

/** Brings about refusals of many kinds, then asks the watch, which saw those of the probes before too. */
export const errorBodies: Probe = {
  rules: [RULE],
  world: 'main',
  async run(target, judge) {
    for (const read of REFUSED) await request(target, { method: 'GET', ...read })
    const found = errorWatch.takeFound()
    if (errorWatch.judged() === 0)
      throw new CannotJudge('nothing was refused with a body that could be judged')
    judge.that(
      RULE,
      found.length === 0,
      found.map(({ problem }) => problem).join('; ') || `${errorWatch.judged()} error bodies fit`,
      found.map(({ evidence }) => evidence),
    )
  },
}
