// What a VU of the kit costs, beside a bare script that sends the same requests: `npm run bench lean`.
import { world } from './lib/config.ts'
import { COMMON_OPTIONS, optionsOf } from './lib/lane.ts'
import { type Reply, type RequestSpec, request, requestAlone } from './lib/request.ts'

export const options = optionsOf(() => ({
  ...COMMON_OPTIONS,
  scenarios: JSON.parse(__ENV.BREAKWATER_LEAN_SCENARIOS ?? '{}'),
}))

const target = world('main')
const credential = { bearer: target.apiTokens[0] ?? '' }

/** As most of a load: nobody reads what is answered. */
const unread = __ENV.BREAKWATER_LEAN_UNREAD === 'yes' && { unread: true as const }

const READS: readonly RequestSpec[] = [
  { method: 'GET', path: '/explore/pools', query: { limit: '20' }, credential, ...unread },
  { method: 'GET', path: '/pools', query: { limit: '50' }, credential, ...unread },
  { method: 'GET', path: '/tokens', credential, ...unread },
  { method: 'GET', path: '/swaps', query: { limit: '20' }, credential, ...unread },
  { method: 'GET', path: '/fee-tiers', credential, ...unread },
]

function nextRead(): RequestSpec {
  return READS[__ITER % READS.length] as RequestSpec // as: the index is below the length
}

function mustBeServed(reply: Reply): void {
  if (reply.status !== 200) throw new Error(reply.evidence())
}

/** As a client that has a socket, or sends side by side. */
export async function lean(): Promise<void> {
  mustBeServed(await request(target, nextRead()))
}

/** As a client that does one thing after another. */
export function leanAlone(): void {
  mustBeServed(requestAlone(target, nextRead()))
}
