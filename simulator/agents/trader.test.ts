import { expect, test } from 'vitest'
import {
  ALICE,
  buildPoolKey,
  configure,
  createTestChain,
  poolTransactions,
  tokenId,
} from '../chain/test-chain.ts'
import { createRandom } from '../random.ts'
import { loadWorldFixture } from '../world-fixture.ts'
import type { People } from './people.ts'
import { stillMarket } from './test-market.ts'
import { type Trading, trade } from './trader.ts'

const fixture = { ...loadWorldFixture('tiny'), swapsPerBlock: 2000, multiHopShare: 0 }

const people: People = {
  administrator: '',
  liquidityProvider: '',
  launcher: '',
  accounts: [ALICE],
  traders: [ALICE],
  providers: [],
  arbitrageur: '',
}

/** Only ALICE trades, in a pool at a price of 1; the market pays two dollars for an A. */
function trading(options: Partial<typeof fixture> = {}): Trading {
  const chain = createTestChain(['USD', 'A'])
  chain.mine(...poolTransactions('USD', 'A'))
  return {
    state: chain.state,
    outside: stillMarket(tokenId('USD'), { [tokenId('A')]: 2 }),
    people,
    fixture: { ...fixture, ...options },
    stream: createRandom(1).stream('traders'),
  }
}

test('most buy what the pool sells below the market, the others trade in either direction', () => {
  const swaps = trade(trading())
  const buying = swaps.filter(({ tokenIn }) => tokenIn === tokenId('USD')).length
  // 70% compare with the market; of the rest, half buy. 2,000 draws: three deviations are 2.4%.
  expect(buying / swaps.length).toBeGreaterThan(0.826)
  expect(buying / swaps.length).toBeLessThan(0.874)
})

test('half of all trades lie below the median size', () => {
  const median = fixture.tradeSizeUsd.median * 1e6
  const sizes = trade(trading()).map(
    ({ tokenIn, amountIn }) => Number(amountIn) * (tokenIn === tokenId('A') ? 2 : 1),
  )
  const below = sizes.filter((size) => size < median).length
  expect(Math.abs(below / sizes.length - 0.5)).toBeLessThan(0.034)
})

test('no trade pays more than a fiftieth of the pool', () => {
  const swaps = trade(trading({ tradeSizeUsd: { median: 1e9, spread: 1 } }))
  expect(new Set(swaps.map(({ amountIn }) => amountIn))).toEqual(new Set([10n ** 12n / 50n]))
})

test('no agent trades while it is paused, or in a disabled pool', () => {
  for (const key of ['all', buildPoolKey('USD', 'A')]) {
    const chain = createTestChain(['USD', 'A'])
    chain.mine(...poolTransactions('USD', 'A'), configure('pause', key))
    expect(trade({ ...trading(), state: chain.state })).toEqual([])
  }
})
