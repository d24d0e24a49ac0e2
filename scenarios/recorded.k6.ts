// Measures the cost of the operation log: the same reads of a session, with and without the history output: `npm run bench histories`.
import { world } from './lib/config.ts'
import { recordSessions } from './lib/history/record.ts'
import { buildOptions, COMMON_OPTIONS } from './lib/lane.ts'
import { send } from './lib/requests/request.ts'

export const options = buildOptions(() => ({
  ...COMMON_OPTIONS,
  scenarios: JSON.parse(__ENV.BREAKWATER_LEAN_SCENARIOS ?? '{}'),
}))

const target = world('main')
const credential = { cookie: `${target.profile.choices.cookies.refresh}=first`, csrf: undefined }
const recorder = recordSessions(target, { wallet: 0, send })
const PATHS = ['/explore/pools', '/pools', '/tokens', '/swaps', '/fee-tiers']
const LIMITS = ['20', '50', '', '20', '']

/** Each request is recorded: a load has no more. */
export async function recorded(): Promise<void> {
  const index = __ITER % PATHS.length
  const limit = LIMITS[index] ?? ''
  const reply = await recorder.send(target, {
    method: 'GET',
    path: PATHS[index] ?? '',
    query: limit === '' ? {} : { limit },
    credential,
    unread: true,
  })
  if (reply.status !== 200) throw new Error(reply.evidence())
}
