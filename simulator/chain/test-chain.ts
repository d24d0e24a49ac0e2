import { Q96 } from '../amm/full-math.ts'
import { fullRangeTicks } from '../amm/position.ts'
import type { Block, Receipt } from './block.ts'
import { mineBlock } from './chain.ts'
import { fieldFrom } from './identifiers.ts'
import { poolKey } from './programs/pools.ts'
import { type ChainState, emptyState } from './state.ts'
import type { Transaction } from './transaction.ts'

export const ADMIN = 'bw1admin'
export const ALICE = 'bw1alice'
export const FUNDS = 10n ** 15n

/** A chain for tests: blocks 60 s apart, with only the given transactions. */
export type TestChain = {
  state: ChainState
  blocks: Block[]
  mine(...transactions: readonly Transaction[]): readonly Receipt[]
}

/** Its first block has the fee tier 3000/60 and the given tokens, 10^15 of each for ALICE and ADMIN. */
export function createTestChain(symbols: readonly string[], decimals = 6): TestChain {
  const state = emptyState({ startMs: 0, administrator: ADMIN })
  const blocks: Block[] = []
  const mine = (...transactions: readonly Transaction[]): readonly Receipt[] => {
    const block = mineBlock(state, transactions, (state.height + 1) * 60_000)
    blocks.push(block)
    return block.receipts
  }
  mine(configure('fee_tiers', '3000/60'), ...symbols.flatMap((symbol) => tokenTransactions(symbol, decimals)))
  return { state, blocks, mine }
}

export const tokenId = (symbol: string): string => fieldFrom(`token ${symbol}`)
export const buildPoolKey = (a: string, b: string): string => poolKey(tokenId(a), tokenId(b), 3000)

export function poolTransactions(
  a: string,
  b: string,
  amount = 10n ** 12n,
  sqrtPriceX96 = Q96,
): readonly Transaction[] {
  const liquidity = (amount * sqrtPriceX96) >> 96n
  return [
    {
      kind: 'createPool',
      sender: ALICE,
      tokenA: tokenId(a),
      tokenB: tokenId(b),
      feePips: 3000,
      sqrtPriceX96,
    },
    {
      kind: 'mintPosition',
      sender: ADMIN,
      pool: buildPoolKey(a, b),
      ...fullRangeTicks(60),
      liquidity,
      isPrivate: false,
    },
  ]
}

export function swapTransaction(
  symbols: readonly string[],
  amountIn: bigint,
): Extract<Transaction, { kind: 'swap' }> {
  const pools = symbols.slice(1).map((symbol, index) => buildPoolKey(symbols[index] ?? '', symbol))
  return {
    kind: 'swap',
    sender: ALICE,
    recipient: ALICE,
    tokenIn: tokenId(symbols[0] ?? ''),
    pools,
    amountIn,
    amountOutMin: 1n,
    isPrivate: false,
  }
}

export function configure(
  scope: Extract<Transaction, { kind: 'changeConfig' }>['change']['scope'],
  key: string,
): Transaction {
  return { kind: 'changeConfig', sender: ADMIN, change: { scope, key } }
}

function tokenTransactions(symbol: string, decimals: number): readonly Transaction[] {
  const token = {
    id: tokenId(symbol),
    address: `bw1${symbol.toLowerCase()}`,
    symbol,
    name: `The ${symbol} token`,
    decimals,
    ammTokenProgram: `wrapped_${symbol}.program`,
    underlyingProgram: null,
    underlyingTokenId: null,
    image: null,
  }
  const shares = [ADMIN, ALICE].map((recipient) => ({ recipient, amount: FUNDS }))
  return [
    { kind: 'registerToken', sender: ADMIN, token },
    { kind: 'mintToken', sender: ADMIN, tokenId: token.id, shares },
  ]
}
