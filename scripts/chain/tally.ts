import type { Block } from '../../simulator/chain/block.ts'
import type { ChainEvent } from '../../simulator/chain/event.ts'
import { CONFIG_SCOPES } from '../../simulator/chain/transaction.ts'

/** What happened in some blocks, counted. */
export type Tally = {
  blocks: number
  transactions: number
  swaps: { total: number; byHops: Record<string, number>; private: number }
  claims: number
  liquidity: { minted: number; burnt: number; collected: number }
  poolsLaunched: number
  revisions: { total: number; byScope: Record<string, number> }
  faucetClaims: number
  refused: { total: number; byCode: Record<string, number> }
}

/** Nothing counted. */
export function emptyTally(): Tally {
  return {
    blocks: 0,
    transactions: 0,
    swaps: { total: 0, byHops: { 1: 0, 2: 0, 3: 0 }, private: 0 },
    claims: 0,
    liquidity: { minted: 0, burnt: 0, collected: 0 },
    poolsLaunched: 0,
    revisions: { total: 0, byScope: Object.fromEntries(CONFIG_SCOPES.map((scope) => [scope, 0])) },
    faucetClaims: 0,
    refused: { total: 0, byCode: {} },
  }
}

/** Counts what happened in a block. */
export function addBlock(tally: Tally, { receipts }: Block): void {
  tally.blocks++
  tally.transactions += receipts.length
  for (const { refused, events } of receipts) {
    if (refused !== null) {
      tally.refused.total++
      addOne(tally.refused.byCode, refused)
    }
    for (const event of events) addEvent(tally, event)
  }
}

function addEvent<Kind extends ChainEvent['kind']>(
  tally: Tally,
  event: Extract<ChainEvent, { kind: Kind }>,
): void {
  // An event extracted by Kind is of that kind; the compiler does not see it through the type parameter.
  COUNTED[event.kind as Kind]?.(tally, event)
}

/** The kinds of events that count; one that is left out comes with another that does. */
const COUNTED: {
  [Kind in ChainEvent['kind']]?: (tally: Tally, event: Extract<ChainEvent, { kind: Kind }>) => void
} = {
  swapExecuted({ swaps }, { hops, isPrivate }) {
    swaps.total++
    addOne(swaps.byHops, String(hops.length))
    if (isPrivate) swaps.private++
  },
  outputClaimed(tally) {
    tally.claims++
  },
  liquidityChanged({ liquidity }, { liquidityDelta }) {
    // A burn of nothing only brings the fees up to date.
    if (liquidityDelta > 0n) liquidity.minted++
    else if (liquidityDelta < 0n) liquidity.burnt++
  },
  positionCollected({ liquidity }) {
    liquidity.collected++
  },
  poolCreated(tally) {
    tally.poolsLaunched++
  },
  configChanged({ revisions }, { changes }) {
    revisions.total++
    for (const { scope } of changes) addOne(revisions.byScope, scope)
  },
  faucetClaimed(tally) {
    tally.faucetClaims++
  },
}

function addOne(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
