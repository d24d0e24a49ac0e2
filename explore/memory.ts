/** Knowledge of a target from earlier commands and sequences of this process: a catalog of its market, its revision, and claims. */

import { at, findRevision } from '../client/exchange.ts'
import type { Profile } from '../contract/profile.ts'
import type { ExploreRequest, ExploreTarget } from './target.ts'

/** On the target's clock. */
export type Claims = {
  /** When the last accepted claim was sent; null: no such claim is known. */
  acceptedMs: number | null
  /** When the last claim was sent or returned, with any outcome. */
  triedMs: number
}

export type Memory = {
  /** Read once, so that later reads can be compared with it. */
  catalog(): Promise<Catalog>
  /** The highest revision that a response had. */
  revision: number | undefined
  /** Addresses for which API tokens were created, with the run that did first. */
  tokenOwners: Map<string, object>
  /** When this process first used the target. */
  startedMs: number
  /** By address. */
  claims: Map<string, Claims>
}

/** By profile, which wrapped targets share. */
const MEMORIES = new WeakMap<Profile, Memory>()

export function recall(target: ExploreTarget): Memory {
  const known = MEMORIES.get(target.profile)
  if (known) return known
  let catalog: Promise<Catalog> | undefined
  const memory: Memory = {
    catalog: () => (catalog ??= readCatalog(target)),
    revision: undefined,
    tokenOwners: new Map(),
    startedMs: target.nowMs(),
    claims: new Map(),
  }
  MEMORIES.set(target.profile, memory)
  return memory
}

export function noteRevision(target: ExploreTarget, body: unknown): void {
  const memory = recall(target)
  const revision = findRevision(body, target.profile.choices.protocolState.revision)
  if (revision !== undefined) memory.revision = Math.max(memory.revision ?? 0, revision)
}

/** True if an earlier run of this process has created API tokens for this address: revoked ones may count for a while. */
export function hadTokens(
  target: ExploreTarget,
  { address, run }: { address: string; run: object },
): boolean {
  const { tokenOwners } = recall(target)
  const owner = tokenOwners.get(address) ?? run
  tokenOwners.set(address, owner)
  return owner !== run
}

export function noteClaim(
  target: ExploreTarget,
  address: string,
  { acceptedMs }: { acceptedMs: number | null },
): void {
  const { claims } = recall(target)
  const known = claims.get(address)?.acceptedMs ?? null
  claims.set(address, { acceptedMs: acceptedMs ?? known, triedMs: target.nowMs() })
}

/** Pools and tokens that commands name by their place: read once, when the first command needs them. */
type CatalogPool = {
  key: string
  token0: string
  token1: string
  /** As in /pools: elsewhere it may be in another unit. */
  fee: string | undefined
  isEnabled: boolean
  from: '/pools' | '/explore/pools'
}

/** A search should find a pool that trades this token. */
type Subject = { text: string; token: string }

export type Catalog = {
  pools: readonly CatalogPool[]
  /** Number of pools, as /explore/pools says. */
  total: number
  subjects: Readonly<Record<'symbol' | 'name' | 'address', readonly Subject[]>>
  tokens: readonly { id: string; unit: string; program: string | undefined }[]
  /** Pools on the shortest way between two tokens; Infinity without one; null if not all pools are known. */
  distance(from: string, to: string): number | null
}

type Row = Record<string, unknown>

const PAGE = 100
const PAGES_MAX = 5
const DECIMALS = 6
const DECIMALS_MAX = 30
/** The specification does not define a search for anything else. */
const PLAIN = /^[A-Za-z0-9]{3,40}( [A-Za-z0-9]{1,40}){0,5}$/

async function readCatalog(target: ExploreTarget): Promise<Catalog> {
  const { tokens: paths } = target.profile.choices
  const [explored, listed, registry] = await Promise.all([
    readRows(target, '/explore/pools'),
    readRows(target, '/pools'),
    target.request({ method: 'GET', path: '/tokens' }),
  ])
  const registered = rowsAt(registry.body, paths.list)
  const sides = explored.rows.flatMap((row) =>
    ['token0', 'token1'].map((side) => ({
      id: textAt(row, side),
      symbol: textAt(row, `${side}Symbol`),
      name: textAt(row, `${side}Name`),
      decimals: at(row, `${side}Decimals`),
    })),
  )
  const subjects = (name: 'symbol' | 'name') =>
    sides.flatMap(({ id, [name]: text }) => (id && text && PLAIN.test(text) ? [{ text, token: id }] : []))
  const traded = new Set(sides.map(({ id }) => id))
  const ids = new Set([
    ...sides.flatMap(({ id }) => id ?? []),
    ...registered.flatMap((row) => textAt(row, paths.id) ?? []),
  ])
  return {
    pools: [
      ...explored.rows.flatMap((row) => readPool(row, '/explore/pools')),
      ...listed.rows.flatMap((row) => readPool(row, '/pools')),
    ],
    total: explored.total,
    subjects: {
      symbol: subjects('symbol'),
      name: subjects('name'),
      address: registered.flatMap((row) => {
        const [token, text] = [textAt(row, paths.id), textAt(row, paths.address)]
        return token && text && traded.has(token) ? [{ text, token }] : []
      }),
    },
    tokens: unpooledSecond([...ids], traded).map((id) => ({
      id,
      unit: `1${'0'.repeat(parseDecimals(sides.find((side) => side.id === id)?.decimals))}`,
      program: textAt(
        registered.find((row) => textAt(row, paths.id) === id),
        paths.ammTokenProgram,
      ),
    })),
    distance: explored.rows.length < explored.total ? () => null : measureDistance(explored.rows),
  }
}

/** Commands use mostly the first tokens. One of them, at the place UNPOOLED, has no pool, so that there are pairs without a route. */
function unpooledSecond(ids: readonly string[], traded: ReadonlySet<string | undefined>): string[] {
  const unpooled = ids.find((id) => !traded.has(id))
  if (unpooled === undefined) return [...ids]
  const [first = unpooled, ...others] = ids.filter((id) => id !== unpooled)
  return [first, unpooled, ...others]
}

/** Reads the list of a pool again: a chain reorganization can remove the pool. */
export async function isStillListed(
  target: ExploreTarget,
  { key, from }: Pick<CatalogPool, 'key' | 'from'>,
): Promise<boolean> {
  const { rows } = await readRows(target, from)
  return rows.some((row) => row.key === key)
}

/** The rows of the first pages; replicas may repeat some. */
async function readRows(target: ExploreTarget, list: string): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  let total = 0
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const request: ExploreRequest = { method: 'GET', path: `${list}?limit=${PAGE}&offset=${rows.length}` }
    const { body } = await target.request(request)
    const page = rowsAt(body, 'data')
    rows.push(...page)
    total = Number(at(body, 'pagination.total'))
    if (page.length === 0 || rows.length >= total) break
  }
  return { rows, total }
}

function readPool(row: Row, from: CatalogPool['from']): CatalogPool[] {
  const [key, token0, token1] = ['key', 'token0', 'token1'].map((name) => textAt(row, name))
  if (!key || !token0 || !token1) return []
  const fee = from === '/pools' ? textAt(row, 'fee') : undefined
  return [{ key, token0, token1, fee, isEnabled: row.enabled === true, from }]
}

function measureDistance(rows: readonly Row[]): Catalog['distance'] {
  const neighbors = new Map<string, string[]>()
  for (const { enabled, token0, token1 } of rows) {
    if (enabled !== true || typeof token0 !== 'string' || typeof token1 !== 'string') continue
    neighbors.set(token0, [...(neighbors.get(token0) ?? []), token1])
    neighbors.set(token1, [...(neighbors.get(token1) ?? []), token0])
  }
  return (from, to) => {
    let reached = new Set([from])
    for (let distance = 0; ; distance++) {
      if (reached.has(to)) return distance
      const further = new Set([...reached].flatMap((token) => [token, ...(neighbors.get(token) ?? [])]))
      if (further.size === reached.size) return Number.POSITIVE_INFINITY
      reached = further
    }
  }
}

function parseDecimals(decimals: unknown): number {
  const isPlausible = typeof decimals === 'number' && decimals >= 0 && decimals <= DECIMALS_MAX
  return isPlausible ? Math.floor(decimals) : DECIMALS
}

export function rowsAt(body: unknown, path: string | null): Row[] {
  const rows = at(body, path)
  return Array.isArray(rows) ? rows.filter((row) => typeof row === 'object' && row !== null) : []
}

function textAt(row: unknown, path: string | null): string | undefined {
  const value = at(row, path)
  return typeof value === 'string' ? value : undefined
}
