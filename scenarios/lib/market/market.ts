import type { Target } from '../../../contract/scenario-config.ts'
import { readCredential } from '../identity/credential.ts'
import { pickRevision, pickRows, pickText } from '../pick.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'
import { walkPages } from '../requests/walk.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge, requireChoice } from '../verdict/judge.ts'
import { elapse } from '../world/control.ts'
import { farthestPairs, type Pair } from './routes.ts'

export type Market = {
  pairs: Pair[]
  /** Ids of tokens in pools, and of some that only the registry lists. */
  tokens: readonly string[]
  poolKeys: ReadonlySet<string>
  /** The two tokens of each pool, by its key. */
  poolTokens: ReadonlyMap<string, readonly [string, string]>
  /** One whole unit of the token in base units: 10^decimals. */
  getUnit(token: string): string
}

/** The number of pairs grows with the square of the tokens. */
const TOKENS_MAX = 80
const ALONE_MAX = 5
/** DECIMALS applies if a token's decimals are missing or above DECIMALS_MAX. */
const DECIMALS = 6
const DECIMALS_MAX = 77

/** Reads tokens and pools, and derives pairs to request routes for. Throws CannotJudge without any. */
export async function readMarket(target: Target): Promise<Market> {
  const { choices } = target.profile
  const { rows } = await walkPages(target, { path: '/explore/pools', limit: 50, rowsMax: 500 })
  const decimals = new Map<string, number>()
  for (const row of rows) {
    for (const side of ['token0', 'token1']) {
      const id = pickText(row, side)
      if (id !== undefined) decimals.set(id, parseDecimals(row[`${side}Decimals`]))
    }
  }
  const registry = await request(target, { method: 'GET', path: '/tokens' })
  const listed = (pickRows(registry.json, choices.tokens.list) ?? []).map(
    (row) => pickText(row, choices.tokens.id) ?? '',
  )
  // Tokens without a pool first: only they certainly have no route.
  const alone = listed.filter((id) => id !== '' && !decimals.has(id))
  const tokens = [...alone.slice(0, ALONE_MAX), ...decimals.keys()].slice(0, TOKENS_MAX)
  const pools = rows
    .filter((row) => row.enabled === true)
    .map((row) => ({ token0: pickText(row, 'token0') ?? '', token1: pickText(row, 'token1') ?? '' }))
    .filter(({ token0, token1 }) => token0 !== '' && token1 !== '')
  if (pools.length === 0) throw new CannotJudge('no enabled pool to route through')
  return {
    pairs: farthestPairs(tokens, pools),
    tokens,
    poolKeys: new Set(rows.map((row) => pickText(row, 'key') ?? '')),
    poolTokens: new Map(
      rows.map((row) => [
        pickText(row, 'key') ?? '',
        [pickText(row, 'token0') ?? '', pickText(row, 'token1') ?? ''],
      ]),
    ),
    getUnit: (token) => `1${'0'.repeat(decimals.get(token) ?? DECIMALS)}`,
  }
}

function parseDecimals(decimals: unknown): number {
  const isPlausible =
    typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX
  return isPlausible ? decimals : DECIMALS
}

/**
 * Reads /protocol/state with the credential, or else authenticated if the profile requires it. With `minimum`, 503 is a valid
 * response.
 */
export async function readProtocolState(
  target: Target,
  minimum?: bigint,
  credential?: Credential,
): Promise<Reply> {
  const open = target.profile.choices.protocolState.access === 'public'
  return request(target, {
    method: 'GET',
    path: '/protocol/state',
    query: minimum === undefined ? {} : { minimum_revision: String(minimum) },
    credential: credential ?? (open ? undefined : await readCredential(target)),
    provokes: minimum === undefined ? [] : [503],
  })
}

/** More reads than a deployment has replicas behind a load balancer. */
const READS = 6

/** Longer than replicas of the stub lag. On other targets, the time between requests lets them catch up. */
const CATCH_UP_MS = 2000

/**
 * Returns the highest revision of several reads, because replicas may lag. Throws CannotJudge if a response
 * has none.
 */
export async function newestRevision(target: Target): Promise<bigint> {
  const path = requireChoice(target.profile.choices.protocolState.revision, 'the path of the revision')
  if (hasControl(target)) await elapse(target, CATCH_UP_MS)
  let newest = -1n
  for (let read = 0; read < READS; read++) {
    const state = await readProtocolState(target)
    const revision = pickRevision(state.json, path)
    if (revision === undefined) throw new CannotJudge(`no revision in the response: ${state.evidence()}`)
    if (revision > newest) newest = revision
  }
  return newest
}

export type RouteReply = { pair: Pair; amountIn: string; reply: Reply }

export function requestRoute(
  target: Target,
  options: {
    pair: { tokenIn: string; tokenOut: string }
    /** Undefined leaves it out. */
    amountIn: string | undefined
    credential: Credential | undefined
  },
): Promise<Reply> {
  const { pair, amountIn, credential } = options
  const query = {
    token_in: pair.tokenIn,
    token_out: pair.tokenOut,
    ...(amountIn !== undefined && { amount_in: amountIn }),
  }
  return request(target, { method: 'GET', path: '/route', query, credential })
}

export function listEvidence(requested: readonly RouteReply[]): string[] {
  return requested.slice(0, 3).map(({ reply }) => reply.evidence())
}
