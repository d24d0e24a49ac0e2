import { expect, test } from 'vitest'
import { observe } from '../../amm/observe.ts'
import { ADMIN, createTestChain, keyOf, poolTransactions, swapTransaction } from '../test-chain.ts'

test('a pool’s oracle begins with it, moves with the blocks’ time in whole seconds, and remembers 64 of them', () => {
  const chain = createTestChain(['A', 'B'])
  const [create, mint] = poolTransactions('A', 'B')
  if (!create || !mint) throw new Error('two transactions were asked for')
  chain.mine(create, mint)
  const amm = chain.state.pools.get(keyOf('A', 'B'))?.amm ?? expect.fail()
  const timesS = () => amm.oracle.observations.map(({ timeS }) => timeS)
  expect(timesS()).toEqual([60])
  chain.mine(swapTransaction(['A', 'B'], 10n ** 9n))
  const { tick } = amm
  expect(tick).not.toBe(0)
  chain.mine(mint)
  const position = [...chain.state.positions.keys()][0] ?? ''
  chain.mine({ kind: 'burnPosition', sender: ADMIN, position, liquidity: 1n })
  expect(timesS()).toEqual([60, 120, 180, 240])
  const [ended, began] = observe(amm, [0, 120], 240)
  expect(began?.tickCumulative).toBe(0n)
  expect(ended?.tickCumulative).toBe(BigInt(tick * 120))
  for (let block = 0; block < 80; block++) {
    const symbols = block % 2 === 0 ? ['A', 'B'] : ['B', 'A']
    chain.mine(swapTransaction(symbols, 10n ** 9n))
  }
  expect(timesS()).toHaveLength(64)
})
