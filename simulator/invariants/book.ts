import type { Block } from '../chain/block.ts'
import type { ChainState } from '../chain/state.ts'
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
