import { expect, test } from 'vitest'
import {
  ADMIN,
  ALICE,
  buildPoolKey,
  configure,
  createTestChain,
  poolTransactions,
  swapTransaction,
  type TestChain,
  tokenId,
} from '../test-chain.ts'
import type { ConfigChange, Transaction } from '../transaction.ts'

const PAIR = `${tokenId('A')}/${tokenId('B')}`
const REVERSED = `${tokenId('B')}/${tokenId('A')}`

function trading(): TestChain {
  const chain = createTestChain(['A', 'B', 'C'])
  chain.mine(...poolTransactions('A', 'B'), ...poolTransactions('B', 'C'))
  return chain
}

/** The refusals of swaps of A for B, B for C and A for C after the changes; null if accepted. */
function barsAfter(changes: readonly [ConfigChange['scope'], string][]): readonly (string | null)[] {
  const chain = trading()
  chain.mine(...changes.map(([scope, key]) => configure(scope, key)))
  const routes = [
    ['A', 'B'],
    ['B', 'C'],
    ['A', 'B', 'C'],
  ]
  return chain.mine(...routes.map((route) => swapTransaction(route, 1000n))).map(({ refused }) => refused)
}

const ON: [ConfigChange['scope'], string] = ['allowlist', 'enabled']

test.each<[string, [ConfigChange['scope'], string][], (string | null)[]]>([
  ['nothing', [], [null, null, null]],
  ['all', [['pause', 'all']], ['trading-paused', 'trading-paused', 'trading-paused']],
  ['a pool', [['pause', buildPoolKey('A', 'B')]], ['pool-disabled', null, 'pool-disabled']],
  ['a pair', [['pause', PAIR]], ['pair-paused', null, 'pair-paused']],
  ['a pair named the other way', [['pause', REVERSED]], ['pair-paused', null, 'pair-paused']],
  [
    'a pair, twice',
    [
      ['pause', PAIR],
      ['pause', REVERSED],
    ],
    [null, null, null],
  ],
  ['an allowlist with every token', [ON], [null, null, null]],
  ['a list without A', [ON, ['allowlist', tokenId('A')]], ['pair-unlisted', null, 'pair-unlisted']],
  ['a list without A that is off', [['allowlist', tokenId('A')]], [null, null, null]],
  [
    'a list with the pair instead of A',
    [ON, ['allowlist', tokenId('A')], ['allowlist', REVERSED]],
    [null, null, null],
  ],
  [
    'a list without B',
    [ON, ['allowlist', tokenId('B')]],
    ['pair-unlisted', 'pair-unlisted', 'pair-unlisted'],
  ],
])('with %s barred, only that stops trading', (_, changes, bars) => {
  expect(barsAfter(changes)).toEqual(bars)
})

test('tokens of others are not listed until the administrator adds them', () => {
  const chain = trading()
  const token = {
    ...chain.state.tokens.get(tokenId('C')),
    id: '7field',
  } as TestChain['state']['tokens'] extends Map<string, infer Token> ? Token : never // as: it is C's, under another id
  chain.mine({ kind: 'registerToken', sender: ALICE, token }, configure('allowlist', 'enabled'))
  const create: Transaction = {
    ...(poolTransactions('A', 'C')[0] as Extract<Transaction, { kind: 'createPool' }>),
    tokenB: '7field',
  } // as: the first one creates
  const refusals = [create, configure('allowlist', '7field'), create].map(
    (transaction) => chain.mine(transaction)[0]?.refused,
  )
  expect(refusals).toEqual(['pair-unlisted', null, null])
})

test('each pair has a pool at each fee tier, with the tier’s spacing', () => {
  const chain = trading()
  chain.mine(configure('fee_tiers', '500/10'), configure('fee_tiers', '10000/200'))
  const [create] = poolTransactions('A', 'B') as [Extract<Transaction, { kind: 'createPool' }>] // as: the first one creates
  const receipts = chain.mine(...[500, 3000, 10_000, 100].map((feePips) => ({ ...create, feePips })))
  expect(receipts.map(({ refused }) => refused)).toEqual([null, 'pool-exists', null, 'tier-unknown'])
  const pools = [...chain.state.pools.values()].map(({ amm }) => [amm.feePips, amm.tickSpacing])
  expect(pools).toEqual([
    [3000, 60],
    [3000, 60],
    [500, 10],
    [10_000, 200],
  ])
  expect(chain.state.contestedPairs).toHaveLength(1)
})

test.each([
  '1000000/60',
  '0/60',
  '100/16384',
  '100/0',
  '1.5/10',
  'x/y',
  '100',
  '0x64/7',
  ' 77 /7',
  '88/9/10',
])('announces the tier %s and adds none', (key) => {
  const chain = trading()
  const [receipt] = chain.mine(configure('fee_tiers', key))
  expect(receipt?.events).toMatchObject([{ kind: 'configChanged', changes: [{ scope: 'fee_tiers', key }] }])
  expect(chain.state.configuration.feeTiers).toHaveLength(1)
})

test('only the administrator mints, and the supply is the minted amount', () => {
  const chain = trading()
  const mint = (sender: string): Transaction => ({
    kind: 'mintToken',
    sender,
    tokenId: tokenId('A'),
    shares: [{ recipient: 'bw1new', amount: 5n }],
  })
  const before = chain.state.tokens.get(tokenId('A'))?.supply ?? 0n
  expect(chain.mine(mint(ALICE), mint(ADMIN)).map(({ refused }) => refused)).toEqual([
    'not-administrator',
    null,
  ])
  expect(chain.state.tokens.get(tokenId('A'))?.supply).toBe(before + 5n)
})
