// All topics in parallel, each in an isolated world, or in one VU if they have to take turns.
import { tokens } from './api-tokens.k6.ts'
import { auth } from './auth.k6.ts'
import { feed } from './feed.k6.ts'
import { buildOptions, COMMON_OPTIONS, lane } from './lib/lane.ts'
import { oneVu } from './lib/probe/one-vu.ts'
import { mix, mixOptions } from './mix.k6.ts'
import { paging } from './paging.k6.ts'
import { rateLimits } from './rate-limit.k6.ts'
import { reads } from './reads.k6.ts'
import { revisions } from './revisions.k6.ts'
import { routes } from './routing.k6.ts'
import { time } from './time.k6.ts'

export { auth, feed, mix, paging, rateLimits, reads, revisions, routes, time, tokens }

const LANES = { paging, reads, routes, revisions, auth, tokens, feed, time, rateLimits }

export const options = buildOptions(() => ({
  ...COMMON_OPTIONS,
  scenarios: {
    ...(oneVu ? lane('probes') : Object.assign({}, ...Object.keys(LANES).map(lane))),
    ...mixOptions(),
  },
}))

export async function probes(): Promise<void> {
  await Promise.all(Object.values(LANES).map((run) => run()))
}
