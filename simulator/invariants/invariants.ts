/**
 * Properties of a world that are true after every block. Like TigerBeetle's simulator, checkers share no code with what
 * they check. Tests run them at intervals, and users on request.
 */

import { burn, positionKey } from '../amm/position.ts'
import { toPositionRange } from '../chain/ledger.ts'
import type { ChainPool, ChainPosition } from '../chain/state.ts'
import { CANDLE_INTERVALS, type CandleInterval } from '../indexer/candle-interval.ts'
import { type FilledCandle, listKeptCandles } from '../indexer/candles.ts'
import { HISTORY_LIMITS } from '../indexer/history/history-log.ts'
import type { IndexedPool } from '../indexer/index-state.ts'
import {
  type BookedTrade,
  type Checker,
  type Evidence,
  positionsByPool,
  positionsEqualLiquidity,
  type Volumes,
} from './book.ts'

/**
 * A pool's volume is the sum of all amounts that swaps paid and got there, including those before the candles kept for
 * each interval.
 */
const volumesEqualSwaps: Checker = ({ index, book }) =>
  [...index.pools.values()].flatMap((pool) => {
    const trades = book.trades.get(pool.key) ?? []
    const differs = (found: Volumes, expected: Volumes) =>
      found.volume0 !== expected.volume0 || found.volume1 !== expected.volume1
    return listFigures(pool)
      .map(({ name, found, endMs }) => ({ name, found, expected: volumeBefore(trades, endMs) }))
      .filter(({ found, expected }) => differs(found, expected))
      .map(
        ({ name, found, expected }) =>
          `pool ${pool.key}: ${name} ${found.volume0} and ${found.volume1}, swaps give ${expected.volume0} and ${expected.volume1}`,
      )
  })

type Figure = { name: string; found: Volumes; endMs: number }

function listFigures(pool: IndexedPool): readonly Figure[] {
  const total = { volume0: pool.volume0Total, volume1: pool.volume1Total }
  return [
    { name: 'all volume', found: total, endMs: Number.POSITIVE_INFINITY },
    ...CANDLE_INTERVALS.flatMap((interval) => {
      const [oldest] = listKeptCandles(pool, interval)
      if (!oldest) return []
      const found = { volume0: oldest.volume0Before, volume1: oldest.volume1Before }
      return [{ name: `volume before the kept ${interval} candles`, found, endMs: oldest.startMs }]
    }),
  ]
}

function volumeBefore(trades: readonly BookedTrade[], endMs: number): Volumes {
  const sum = { volume0: 0n, volume1: 0n }
  for (const { atMs, volume0, volume1 } of trades) {
    if (atMs >= endMs) continue
    sum.volume0 += volume0
    sum.volume1 += volume1
  }
  return sum
}

/** Each pool could pay if every position were burned and collected now, and the protocol took its fees. */
const poolsSolvent: Checker = ({ chain }) => {
  const byPool = positionsByPool(chain)
  return [...chain.pools.values()].flatMap((pool) => shortfalls(pool, byPool.get(pool.key) ?? []))
}

function shortfalls(pool: ChainPool, positions: readonly ChainPosition[]): readonly string[] {
  const amm = structuredClone(pool.amm)
  let owed0 = amm.protocolFees0
  let owed1 = amm.protocolFees1
  for (const position of positions) {
    const range = toPositionRange(position)
    const account = amm.positions.get(positionKey(range))
    // Debts of one position must not hide what another is owed.
    if (account && (account.tokensOwed0 < 0n || account.tokensOwed1 < 0n))
      return [`pool ${pool.key}: position ${position.id} owes the pool`]
    if (!account) return [`pool ${pool.key}: no account of position ${position.id}`]
    if (account.liquidity > 0n) burn(amm, range, account.liquidity)
    owed0 += account.tokensOwed0
    owed1 += account.tokensOwed1
  }
  const sides = [
    { name: 'token0', owed: owed0, balance: pool.balance0 },
    { name: 'token1', owed: owed1, balance: pool.balance1 },
  ]
  return sides
    .filter(({ owed, balance }) => owed > balance)
    .map(({ name, owed, balance }) => `pool ${pool.key}: owes ${owed} of ${name}, has ${balance}`)
}

type Balances = ReadonlyMap<string, ReadonlyMap<string, bigint>>

/** A wallet has what it received less what it paid, in chain and indexer, and no balance is negative. */
const balancesEqualTransfers: Checker = ({ chain, index, book }) => [
  ...differences('chain', chain.balances, book.balances),
  ...differences('index', index.balances, book.balances),
  ...flatten(chain.balances)
    .filter(({ amount }) => amount < 0n)
    .map(({ address, token, amount }) => `chain: ${address} has ${amount} of ${token}`),
]

function differences(where: string, found: Balances, transferred: Balances): readonly string[] {
  const held = (balances: Balances, address: string, token: string) => balances.get(address)?.get(token) ?? 0n
  const seen = new Map(
    [...flatten(found), ...flatten(transferred)].map((row) => [`${row.address}/${row.token}`, row]),
  )
  return [...seen.values()].flatMap(({ address, token }) => {
    const [amount, expected] = [held(found, address, token), held(transferred, address, token)]
    return amount === expected
      ? []
      : [`${where}: ${address} has ${amount} of ${token}, transfers give ${expected}`]
  })
}

function flatten(balances: Balances): readonly { address: string; token: string; amount: bigint }[] {
  return [...balances].flatMap(([address, held]) =>
    [...held].map(([token, amount]) => ({ address, token, amount })),
  )
}

/** Every unit ever minted is in a wallet, a pool or an unclaimed output. */
const supplyConserved: Checker = ({ chain, index, book }) => {
  const held = new Map<string, bigint>()
  const add = (tokenId: string, amount: bigint) => held.set(tokenId, (held.get(tokenId) ?? 0n) + amount)
  for (const wallet of chain.balances.values()) for (const [tokenId, amount] of wallet) add(tokenId, amount)
  for (const { token0, token1, balance0, balance1 } of chain.pools.values()) {
    add(token0, balance0)
    add(token1, balance1)
  }
  for (const { tokenId, amountRemaining } of chain.pendingOutputs.values()) add(tokenId, amountRemaining)
  return [...chain.tokens.values()].flatMap(({ id, symbol, supply }) => {
    const counts = {
      held: held.get(id) ?? 0n,
      minted: book.minted.get(id) ?? 0n,
      indexed: index.tokens.get(id)?.supply,
    }
    return Object.entries(counts)
      .filter(([, count]) => count !== supply)
      .map(([name, count]) => `token ${symbol}: supply ${supply}, ${name} ${count}`)
  })
}

const LENGTH_MS: Record<CandleInterval, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}

/** The open, high, low, close and volume of each candle match the trades in its interval. */
const candlesAgreeWithTrades: Checker = ({ index, book }) =>
  [...index.pools.values()].flatMap((pool) =>
    CANDLE_INTERVALS.flatMap((interval) => {
      const booked = aggregateCandles(book.trades.get(pool.key) ?? [], LENGTH_MS[interval])
      return compareCandles(pool, interval, booked.slice(-HISTORY_LIMITS.candlesPerPool[interval]))
    }),
  )

function compareCandles(
  pool: IndexedPool,
  interval: CandleInterval,
  booked: readonly BookedCandle[],
): readonly string[] {
  const where = `pool ${pool.key}, ${interval}`
  const found = listKeptCandles(pool, interval)
  if (found.length !== booked.length)
    return [`${where}: ${found.length} candles, trades give ${booked.length}`]
  return booked.flatMap((expected, place) =>
    CANDLE_FIGURES.filter((name) => found[place]?.[name] !== expected[name]).map(
      (name) => `${where}: candle ${place}: ${name} ${found[place]?.[name]}, trades give ${expected[name]}`,
    ),
  )
}

const CANDLE_FIGURES = ['startMs', 'openX96', 'highX96', 'lowX96', 'closeX96', 'volume0', 'volume1'] as const

type BookedCandle = Pick<FilledCandle, (typeof CANDLE_FIGURES)[number]>

function aggregateCandles(trades: readonly BookedTrade[], lengthMs: number): readonly BookedCandle[] {
  const byStart = new Map<number, BookedTrade[]>()
  for (const trade of trades) {
    const startMs = Math.floor(trade.atMs / lengthMs) * lengthMs
    const together = byStart.get(startMs)
    if (together) together.push(trade)
    else byStart.set(startMs, [trade])
  }
  return [...byStart].map(([startMs, together]) => aggregateCandle(startMs, together))
}

function aggregateCandle(startMs: number, trades: readonly BookedTrade[]): BookedCandle {
  const candle = { startMs, openX96: 0n, highX96: 0n, lowX96: 0n, closeX96: 0n, volume0: 0n, volume1: 0n }
  for (const { sqrtPriceX96: priceX96, volume0, volume1 } of trades) {
    if (candle.openX96 === 0n) Object.assign(candle, { openX96: priceX96, lowX96: priceX96 })
    if (priceX96 > candle.highX96) candle.highX96 = priceX96
    if (priceX96 < candle.lowX96) candle.lowX96 = priceX96
    candle.closeX96 = priceX96
    candle.volume0 += volume0
    candle.volume1 += volume1
  }
  return candle
}

export const INVARIANTS = {
  supplyConserved,
  poolsSolvent,
  candlesAgreeWithTrades,
  volumesEqualSwaps,
  positionsEqualLiquidity,
  balancesEqualTransfers,
} satisfies Record<string, Checker>

/**
 * Returns every violation as a line that starts with the invariant's name. Chain, index and book must be at the same
 * block.
 */
export function checkInvariants(evidence: Evidence): readonly string[] {
  const { chain, index, book } = evidence
  if (index.head.height !== chain.height || book.height !== chain.height) {
    throw new RangeError(`chain at ${chain.height}, index at ${index.head.height}, book at ${book.height}`)
  }
  return Object.entries(INVARIANTS).flatMap(([name, check]) =>
    check(evidence).map((line) => `${name}: ${line}`),
  )
}
