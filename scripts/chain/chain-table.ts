import type { ChainResult } from './chain-result.ts'
import type { Tally } from './tally.ts'

/** What happened, a line a row: what, how often, and more about it. */
export function chainTable({ happened, pools, revision, swapsPerSecond }: ChainResult): readonly string[] {
  const rows = rowsOf(happened, { pools, revision, swapsPerSecond }).map(({ what, count, more }) => ({
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

function rowsOf(
  tally: Tally,
  { pools, revision, swapsPerSecond }: Pick<ChainResult, 'pools' | 'revision' | 'swapsPerSecond'>,
): readonly Row[] {
  const { swaps, liquidity, revisions, refused } = tally
  const perSecond = swapsPerSecond === null ? '' : `${shown(swapsPerSecond)} a second`
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
    { what: 'pools launched', count: tally.poolsLaunched, more: [`${shown(pools)} in all`] },
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
