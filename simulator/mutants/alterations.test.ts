import { expect, test } from 'vitest'
import { createTestBed, type TestBed } from '../exchange/test-bed.ts'
import type { MutantName } from './mutants.ts'

/** For each mutant, a request that shows it at once. */
const SHOWS_IN: readonly { mutant: MutantName; path: string; access?: 'public' }[] = [
  { mutant: 'wire-fee-number', path: '/pools' },
  { mutant: 'wire-payload-in-items', path: '/fee-tiers' },
  { mutant: 'wire-error-object', path: '/explore/pools?limit=0' },
  { mutant: 'wire-tvl-number', path: '/explore/pools' },
  { mutant: 'wire-swap-amount-number', path: '/swaps' },
  { mutant: 'wire-body-guarded', path: '/fee-tiers' },
  { mutant: 'wire-enabled-text', path: '/pools/KEY' },
  { mutant: 'wire-valuation-number', path: '/explore/pools' },
  { mutant: 'wire-tokens-counted', path: '/tokens' },
  { mutant: 'wire-token-info-decimals', path: '/swaps' },
  { mutant: 'wire-fee-tier-text', path: '/fee-tiers' },
  { mutant: 'wire-schema-without-inputs', path: '/schema/trading' },
  { mutant: 'paging-explore-row-lost', path: '/explore/pools?limit=3&offset=3' },
  { mutant: 'paging-1-refused', path: '/explore/pools?limit=1' },
  { mutant: 'paging-100-refused', path: '/explore/pools?limit=100' },
  { mutant: 'paging-0-served', path: '/explore/pools?limit=0' },
  { mutant: 'paging-loose-numbers', path: '/explore/pools?limit=%2B5' },
  { mutant: 'paging-total-text', path: '/swaps' },
  { mutant: 'paging-keys-change', path: '/pools' },
  { mutant: 'paging-key-turned', path: '/pools/KEY' },
  { mutant: 'paging-many-served', path: '/explore/pools?limit=many' },
  { mutant: 'paging-negative-served', path: '/explore/pools?limit=-10' },
  { mutant: 'paging-start-served', path: '/explore/pools?offset=start' },
  { mutant: 'paging-any-window', path: '/explore/pools?window=never' },
  { mutant: 'paging-any-order', path: '/explore/pools?order=sideways' },
  { mutant: 'paging-no-month', path: '/explore/pools?window=1m' },
  { mutant: 'paging-search-no-symbols', path: '/explore/pools?search=USDC' },
  { mutant: 'paging-search-no-names', path: '/explore/pools?search=Wrapped%20USD%20Coin' },
  { mutant: 'paging-swaps-2-for-1', path: '/swaps?limit=1' },
  { mutant: 'paging-swaps-101-for-100', path: '/swaps?limit=100' },
  { mutant: 'paging-swaps-unfiltered', path: '/swaps?limit=100&pool=KEY' },
  { mutant: 'paging-pools-starts-over', path: '/pools?offset=1000000' },
  { mutant: 'paging-key-one-token', path: '/pools/KEY' },
  { mutant: 'swaps-claimed-early', path: '/swaps?limit=100' },
  { mutant: 'access-ready-guarded', path: '/ready', access: 'public' },
  { mutant: 'access-stats-guarded', path: '/pools/stats', access: 'public' },
  { mutant: 'access-oracle-guarded', path: '/pools/KEY/oracle', access: 'public' },
  { mutant: 'access-explore-tokens-guarded', path: '/explore/tokens', access: 'public' },
  { mutant: 'access-tokens-guarded', path: '/tokens', access: 'public' },
  { mutant: 'access-compliance-guarded', path: '/compliance', access: 'public' },
  { mutant: 'access-aggregator-guarded', path: '/aggregator/pairs', access: 'public' },
]

const whole = await createTestBed()

async function fetchBody(bed: TestBed, path: string, access?: 'public') {
  const [pool] = bed.views.pools({ limit: 1, offset: 0 }).rows
  // Bypasses the request helper of the test bed, which checks responses against their documented statuses.
  const { statusCode, body } = await bed.app.inject({
    url: path.replace('KEY', pool?.key ?? ''),
    ...(access === 'public' ? {} : bed.bearer()),
  })
  return { statusCode, body: body.replace(/"ref":"[^"]*"/, '') }
}

test.each(SHOWS_IN)('$mutant shows in $path', async ({ mutant, path, access }) => {
  const broken = await createTestBed({ mutant })
  expect(await fetchBody(broken, path, access)).not.toEqual(await fetchBody(whole, path, access))
})
