import type { Block } from '../../simulator/chain/block.ts'
import { type ChainEvent, CONFIG_SCOPES } from '../../simulator/chain/transaction.ts'

/** Counts of what happened in some blocks. */
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

/** Block and time of a world. */
export type Standing = { height: number; time: string }

export type ChainResult = Standing & {
  /** Null if the world was loaded. */
  world: string | null
  loaded: string | null
  seed: number
  /** Before the first block that was mined now. */
  start: Standing & { tookMs: number }
  pools: number
  revision: number
  /** In the blocks mined now: neither in the history nor in what was loaded. */
  happened: Tally
  blocksPerSecond: number | null
  swapsPerSecond: number | null
  invariants: { invariants: number; blocksChecked: number } | null
  events: { file: string; lines: number } | null
  dump: { file: string; bytes: number } | null
  eventsSha256: string
}

/** Formats the counts, one row per line: name, count, details. */
export function chainTable({ happened, pools, revision, swapsPerSecond }: ChainResult): readonly string[] {
  const rows = buildRows(happened, { pools, revision, swapsPerSecond }).map(({ what, count, more }) => ({
    what,
    count: shown(count),
    more: more.filter((part) => part !== '').join('; '),
  }))
  const whatWidth = Math.max(...rows.map(({ what }) => what.length))
  const countWidth = Math.max(...rows.map(({ count }) => count.length))
  return rows.map(({ what, count, more }) =>
    `${what.padEnd(whatWidth)}  ${count.padStart(countWidth)}  ${more}`.trimEnd(),
  )
}

type Row = { what: string; count: number; more: readonly string[] }

function buildRows(
  tally: Tally,
  { pools, revision, swapsPerSecond }: Pick<ChainResult, 'pools' | 'revision' | 'swapsPerSecond'>,
): readonly Row[] {
  const { swaps, liquidity, revisions, refused } = tally
  const perSecond = swapsPerSecond === null ? '' : `${shown(swapsPerSecond)} per second`
  const hops = Object.entries(swaps.byHops)
    .filter(([, count]) => count > 0)
    .map(([hops, count]) => `${hops} ${hops === '1' ? 'hop' : 'hops'} ${shown(count)}`)
    .join(', ')
  const secret = swaps.private === 0 ? '' : `private ${shown(swaps.private)}`
  return [
    { what: 'transactions', count: tally.transactions, more: [] },
    { what: 'swaps', count: swaps.total, more: [perSecond, hops, secret] },
    { what: 'outputs claimed', count: tally.claims, more: [] },
    { what: 'liquidity minted', count: liquidity.minted, more: [] },
    { what: 'liquidity burnt', count: liquidity.burnt, more: [] },
    { what: 'liquidity collected', count: liquidity.collected, more: [] },
    { what: 'pools launched', count: tally.poolsLaunched, more: [`${shown(pools)} in total`] },
    { what: 'revisions', count: revisions.total, more: [`now at ${revision}`, listed(revisions.byScope)] },
    { what: 'faucet claims', count: tally.faucetClaims, more: [] },
    { what: 'refused', count: refused.total, more: [listed(refused.byCode)] },
  ]
}

/** The most frequent first. */
function listed(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${shown(count)}`)
    .join(', ')
}

function shown(count: number): string {
  return count.toLocaleString('en')
}
