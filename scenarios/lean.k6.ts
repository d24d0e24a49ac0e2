// Measures the cost of a kit VU against a bare script that sends the same requests: `npm run bench lean`.
import { world } from './lib/config.ts'
import { buildOptions, COMMON_OPTIONS } from './lib/lane.ts'
import { type Reply, type RequestSpec, request, requestAlone } from './lib/requests/request.ts'

export const options = buildOptions(() => ({
  ...COMMON_OPTIONS,
  scenarios: JSON.parse(__ENV.BREAKWATER_LEAN_SCENARIOS ?? '{}'),
}))

const target = world('main')
const credential = { bearer: target.apiTokens[0] ?? '' }

const PATHS = ['/explore/pools', '/pools', '/tokens', '/swaps', '/fee-tiers']
const LIMITS = ['20', '50', '', '20', '']

/** Like most of a load, which leaves bodies unread. */
const unread = __ENV.BREAKWATER_LEAN_UNREAD === 'yes'

function nextRead(): RequestSpec {
  const index = __ITER % PATHS.length
  const limit = LIMITS[index] ?? ''
  const spec: RequestSpec = { method: 'GET', path: PATHS[index] ?? '', credential }
  if (limit !== '') spec.query = { limit }
  if (unread) spec.unread = true
  return spec
}

function mustBeServed(reply: Reply): void {
  if (reply.status !== 200) throw new Error(reply.evidence())
}

/** The path of a client with a socket or parallel requests. */
export async function lean(): Promise<void> {
  mustBeServed(await request(target, nextRead()))
}

/** The path of a sequential client. */
export function leanAlone(): void {
  mustBeServed(requestAlone(target, nextRead()))
}
