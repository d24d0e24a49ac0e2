/** Draws the requests that must be rejected. Each sequence ends with some, so that they displace no other commands. */
import type { RandomStream } from '../simulator/random.ts'
import {
  ENDPOINT_NAMES,
  type Endpoint,
  FORGERY_NAMES,
  listRejected,
  type Stranger,
} from './model/strangers.ts'
import type { Command, CommandOf } from './sequence.ts'

type Labels = { session: string | undefined; token: string | undefined }
type Known = Readonly<Record<'sessions' | 'tokens', readonly { label: string }[]>>

const ASKS_AT_END = 8
/** Shares: requests with API tokens to endpoints for sessions only, and altered API tokens of altered credentials. */
const BY_TOKEN = 0.3
const ALTERED_TOKEN = 0.5

const PAIRS = ENDPOINT_NAMES.flatMap((endpoint) =>
  listRejected(endpoint).map(([stranger]): [Endpoint, Stranger] => [endpoint, stranger]),
)
const TOKEN_PAIRS = PAIRS.filter(([, stranger]) => stranger === 'token')

export function drawStrangers(random: RandomStream, { sessions, tokens }: Known): Command[] {
  const pick = (list: readonly { label: string }[]) => (list.length > 0 ? random.pick(list).label : undefined)
  const asks = Array.from({ length: ASKS_AT_END }, () =>
    drawAsk(random, { session: pick(sessions), token: pick(tokens) }),
  )
  return [...asks.filter((ask) => ask !== undefined), drawForge(random, 1)]
}

/** Returns undefined without the credential that it needs. */
export function drawAsk(random: RandomStream, { session, token }: Labels): CommandOf<'ask'> | undefined {
  const isByToken = token !== undefined && random.float() < BY_TOKEN
  const endpoint = random.pick(ENDPOINT_NAMES)
  const [wanted, stranger] = isByToken
    ? random.pick(TOKEN_PAIRS)
    : ([endpoint, random.pick(listRejected(endpoint))[0]] as const)
  const ask = { do: 'ask', with: stranger, for: wanted } as const
  if (stranger === 'nothing' || stranger.startsWith('made-up')) return ask
  const mayBeToken = stranger.startsWith('altered') && wanted !== 'POST /auth/refresh'
  const isOfToken = stranger === 'token' || (mayBeToken && random.float() < ALTERED_TOKEN)
  const by = isOfToken ? token : session
  return by === undefined ? undefined : { ...ask, by }
}

export function drawForge(random: RandomStream, wallets: number): CommandOf<'forge'> {
  return { do: 'forge', wallet: random.int(0, wallets - 1), how: random.pick(FORGERY_NAMES) }
}
