import type { Pool as AmmPool } from '../amm/pool.ts'
import { positionKey } from '../amm/position.ts'
import type { Block } from '../chain/block.ts'
import { toPositionRange } from '../chain/ledger.ts'
import type { ChainPosition, ChainState } from '../chain/state.ts'
import type { ChainEvent } from '../chain/transaction.ts'
import type { IndexState } from '../indexer/index-state.ts'

/** A second set of books, kept from events only and by other code than the indexer's, for checkers to compare with. */
export type Book = {
  height: number
  minted: Map<string, bigint>
  /** Sum of all transfers, by address, then token. */
  balances: Map<string, Map<string, bigint>>
  trades: Map<string, BookedTrade[]>
}

export type Volumes = { volume0: bigint; volume1: bigint }
export type BookedTrade = Volumes & { atMs: number; sqrtPriceX96: bigint }

export function emptyBook(): Book {
  return { height: -1, minted: new Map(), balances: new Map(), trades: new Map() }
}

/** From the first block on: start a new book after a reorganization. */
export function buildBook(blocks: readonly Block[]): Book {
  const book = emptyBook()
  for (const block of blocks) enterBlock(book, block)
  return book
}

/** Enters blocks in order, from the first one on. */
export function enterBlock(book: Book, block: Block): void {
  if (block.height !== book.height + 1)
    throw new RangeError(`expected block ${book.height + 1}, got ${block.height}`)
  book.height = block.height
  for (const { events } of block.receipts) for (const event of events) enterEvent(book, event, block.timeMs)
}

function enterEvent(book: Book, event: ChainEvent, timeMs: number): void {
  if (event.kind === 'tokenMinted') add(book.minted, event.tokenId, event.amount)
  if (event.kind === 'balanceChanged') {
    const held = book.balances.get(event.address) ?? new Map<string, bigint>()
    add(held, event.tokenId, event.delta)
    book.balances.set(event.address, held)
  }
  if (event.kind !== 'swapExecuted') return
  for (const { pool, zeroForOne, amountIn, amountOut, sqrtPriceX96 } of event.hops) {
    const [volume0, volume1] = zeroForOne ? [amountIn, amountOut] : [amountOut, amountIn]
    const trades = book.trades.get(pool)
    const trade = { atMs: timeMs, volume0, volume1, sqrtPriceX96 }
    if (trades) trades.push(trade)
    else book.trades.set(pool, [trade])
  }
}

function add(sums: Map<string, bigint>, name: string, amount: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + amount)
}

/** State that checkers read, all at one block; they never change it. */
export type Evidence = { chain: ChainState; index: IndexState; book: Book }

/** Returns one line per violation. */
export type Checker = (evidence: Evidence) => readonly string[]

/**
 * Positions add up to each pool's liquidity in range and to its ticks, and the indexer has rebuilt all of it, including
 * the oracle.
 */
export const positionsEqualLiquidity: Checker = ({ chain, index }) => {
  const byPool = positionsByPool(chain)
  return [...chain.pools.values()].flatMap(({ key, amm }) => [
    ...differences(`pool ${key}`, summed(amm, byPool.get(key) ?? []), stated(amm)),
    ...differences(`index of pool ${key}`, replica(index.pools.get(key)?.amm), replica(amm)),
  ])
}

type Figures = Record<string, bigint | number>

function summed(amm: AmmPool, positions: readonly ChainPosition[]): Figures {
  const figures: Figures = { positions: positions.length, liquidity: 0n }
  const add = (name: string, amount: bigint) => {
    figures[name] = BigInt(figures[name] ?? 0n) + amount
  }
  for (const position of positions) {
    const liquidity = amm.positions.get(positionKey(toPositionRange(position)))?.liquidity ?? 0n
    if (liquidity === 0n) continue
    if (position.tickLower <= amm.tick && amm.tick < position.tickUpper) add('liquidity', liquidity)
    add(`gross at ${position.tickLower}`, liquidity)
    add(`gross at ${position.tickUpper}`, liquidity)
    add(`net at ${position.tickLower}`, liquidity)
    add(`net at ${position.tickUpper}`, -liquidity)
  }
  return figures
}

function stated({ positions, liquidity, ticks }: AmmPool): Figures {
  const figures: Figures = { positions: positions.size, liquidity }
  for (const [tick, { liquidityGross, liquidityNet }] of ticks.byTick) {
    figures[`gross at ${tick}`] = liquidityGross
    figures[`net at ${tick}`] = liquidityNet
  }
  return figures
}

function replica(amm: AmmPool | undefined): Figures {
  if (!amm) return {}
  const { sqrtPriceX96, tick, feeGrowthGlobal0X128, feeGrowthGlobal1X128 } = amm
  const { feeProtocol0, feeProtocol1, protocolFees0, protocolFees1, oracle } = amm
  const figures: Figures = {
    ...stated(amm),
    sqrtPriceX96,
    tick,
    feeGrowthGlobal0X128,
    feeGrowthGlobal1X128,
    feeProtocol0,
    feeProtocol1,
    protocolFees0,
    protocolFees1,
    'latest observation': oracle.index,
    'observations to come': oracle.cardinalityNext,
  }
  for (const [slot, observation] of oracle.observations.entries()) {
    figures[`time observed at ${slot}`] = observation.timeS
    figures[`ticks observed at ${slot}`] = observation.tickCumulative
    figures[`liquidity observed at ${slot}`] = observation.secondsPerLiquidityCumulativeX128
  }
  for (const [key, { liquidity, tokensOwed0, tokensOwed1 }] of amm.positions) {
    figures[`liquidity of ${key}`] = liquidity
    figures[`owed to ${key}`] = tokensOwed0 + tokensOwed1
  }
  return figures
}

function differences(where: string, found: Figures, expected: Figures): readonly string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(expected)])]
    .filter((name) => found[name] !== expected[name])
    .map((name) => `${where}: ${name}: ${found[name]} instead of ${expected[name]}`)
}

export function positionsByPool({ positions }: ChainState): ReadonlyMap<string, readonly ChainPosition[]> {
  const groups = new Map<string, ChainPosition[]>()
  for (const position of positions.values()) {
    const group = groups.get(position.pool)
    if (group) group.push(position)
    else groups.set(position.pool, [position])
  }
  return groups
}
