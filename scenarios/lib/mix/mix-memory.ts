import { pickRows, pickText } from '../pick.ts'
import { pickRank } from './mix-chance.ts'

export type KnownPool = { key: string; symbol: string; tokenIn: string; tokenOut: string; amountIn: string }

/** Lists that a client reads page after page. */
export type Cursor = 'explore' | 'pools'

/** What a client has seen of the market; the clients of one VU share it, one after another. */
export type Memory = {
  knows(): boolean
  /** Keeps the pools of a page of /explore/pools. */
  learn(body: unknown): void
  pick(options: { skew: number; random: () => number }): KnownPool | undefined
  /** Different ones, the first as pick does. */
  pickSome(count: number, options: { skew: number; random: () => number }): KnownPool[]
  offset(list: Cursor): number
  /** Goes on by the rows received; an empty page is the end, so the next one is the first. */
  advance(list: Cursor, body: unknown): void
}

const POOLS_MAX = 200

/** A client that has seen no pool yet, and is on the first page of every list. */
export function createMemory(): Memory {
  const pools: KnownPool[] = []
  const keys = new Set<string>()
  const offsets: Record<Cursor, number> = { explore: 0, pools: 0 }
  const pick: Memory['pick'] = ({ skew, random }) => pools[pickRank(pools.length, skew, random)]
  return {
    knows: () => pools.length > 0,
    learn(body) {
      for (const row of pickRows(body, 'data') ?? []) {
        if (pools.length >= POOLS_MAX) return
        const pool = readPool(row)
        if (pool === undefined || keys.has(pool.key)) continue
        keys.add(pool.key)
        pools.push(pool)
      }
    },
    pick,
    pickSome(count, options) {
      const chosen = new Set<KnownPool>()
      // A pool comes again the more often the fewer are left: tries are bounded, and the rest is taken in order.
      for (let tries = 0; tries < count * 4 && chosen.size < count; tries++) {
        const pool = pick(options)
        if (pool !== undefined) chosen.add(pool)
      }
      for (const pool of pools) {
        if (chosen.size >= count) break
        chosen.add(pool)
      }
      return [...chosen]
    },
    offset: (list) => offsets[list],
    advance(list, body) {
      const rows = pickRows(body, 'data')?.length ?? 0
      offsets[list] = rows === 0 ? 0 : offsets[list] + rows
    },
  }
}

function readPool(row: unknown): KnownPool | undefined {
  const [key, tokenIn, tokenOut] = ['key', 'token0', 'token1'].map((name) => pickText(row, name))
  if (key === undefined || tokenIn === undefined || tokenOut === undefined) return undefined
  const decimals = Number(pickText(row, 'token0Decimals') ?? 6)
  const symbol = pickText(row, 'token0Symbol') ?? ''
  // Whole tokens in base units; a target that tells nonsense here gets one unit.
  const zeros = Number.isInteger(decimals) && decimals >= 0 && decimals <= 36 ? decimals : 0
  return { key, symbol, tokenIn, tokenOut, amountIn: `1${'0'.repeat(zeros)}` }
}
