// All behaviours side by side, each in a world that the others do not disturb.
import type { Options } from 'k6/options'
import { tokens } from './api-tokens.k6.ts'
import { auth } from './auth.k6.ts'
import { feed } from './feed.k6.ts'
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { mix, mixOptions } from './mix.k6.ts'
import { paging } from './paging.k6.ts'
import { rateLimits } from './rate-limit.k6.ts'
import { reads } from './reads.k6.ts'
import { revisions } from './revisions.k6.ts'
import { routes } from './routing.k6.ts'
import { time } from './time.k6.ts'

export { auth, feed, mix, paging, rateLimits, reads, revisions, routes, time, tokens }

export const options: Options = {
  ...COMMON_OPTIONS,
  scenarios: {
    ...lane('paging'),
    ...lane('reads'),
    ...lane('routes'),
    ...lane('revisions'),
    ...lane('auth'),
    ...lane('tokens'),
    ...lane('feed'),
    ...lane('time'),
    ...lane('rateLimits'),
    ...mixOptions,
  },
}
