import { expect, test } from 'vitest'
import { collect, collectProtocol, setProtocolFee } from './fees.ts'
import { Q96, UINT128_MAX } from './full-math.ts'
import { createPool, type Pool } from './pool.ts'
import { burn, mint, positionKey } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'

const lp = { owner: 'lp', tickLower: -600, tickUpper: 600 }

function traded(options?: { feeProtocol0: number; feeProtocol1: number }): Pool {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
  if (options) setProtocolFee(pool, options)
  mint(pool, lp, 10n ** 24n)
  for (const zeroForOne of [true, false])
    applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: 1_000_000n }))
  burn(pool, lp, 0n)
  return pool
}

const owed = (pool: Pool) => {
  const { tokensOwed0, tokensOwed1 } = pool.positions.get(positionKey(lp)) ?? expect.fail()
  return [tokensOwed0, tokensOwed1]
}

test('pays the requested amount, at most the amount owed', () => {
  const pool = traded()
  // 0.3% of a million, minus the unit that growth truncates.
  expect(owed(pool)).toEqual([2999n, 2999n])
  expect(collect(pool, lp, { amount0: 1000n, amount1: 0n })).toEqual({ amount0: 1000n, amount1: 0n })
  expect(owed(pool)).toEqual([1999n, 2999n])
  expect(collect(pool, lp, { amount0: 5000n, amount1: 2999n })).toEqual({ amount0: 1999n, amount1: 2999n })
  expect(owed(pool)).toEqual([0n, 0n])
})

test('pays nothing without a position', () => {
  expect(collect(traded(), { ...lp, owner: 'nobody' })).toEqual({ amount0: 0n, amount1: 0n })
})

test('deletes a position once all of it is withdrawn and collected', () => {
  const pool = traded()
  collect(pool, lp)
  expect(pool.positions.size).toBe(1)
  burn(pool, lp, 10n ** 24n)
  collect(pool, lp, { amount0: UINT128_MAX, amount1: 1n })
  expect(pool.positions.size).toBe(1)
  collect(pool, lp)
  expect(pool.positions.size).toBe(0)
  expect(() => burn(pool, lp, 0n)).toThrow('NP')
})

test.each([-1n, UINT128_MAX + 1n])('refuses to pay out %i', (amount) => {
  for (const requested of [
    { amount0: amount, amount1: 0n },
    { amount0: 0n, amount1: amount },
  ]) {
    const pool = traded()
    for (const pay of [() => collect(pool, lp, requested), () => collectProtocol(pool, requested)])
      expect(pay).toThrow(expect.objectContaining({ code: 'overflow' }))
    expect(pool).toEqual(traded())
  }
})

test('tokens owed wrap at 128 bits, from fees as from removed liquidity', () => {
  const pool = traded()
  const position = pool.positions.get(positionKey(lp)) ?? expect.fail()
  position.tokensOwed0 = UINT128_MAX
  position.tokensOwed1 = UINT128_MAX
  applySwap(pool, computeSwap(pool, { zeroForOne: true, amountSpecified: 1_000_000n }))
  burn(pool, lp, 0n)
  expect(owed(pool)).toEqual([2998n, UINT128_MAX])
  const { amount0, amount1 } = burn(pool, lp, 10n ** 20n)
  expect(owed(pool)).toEqual([2998n + amount0, amount1 - 1n])
})

test.each([
  // The protocol gets its part of a fee of 3000; liquidity gets the rest, minus the unit that growth truncates.
  { feeProtocol0: 0, feeProtocol1: 0, fees: [0n, 0n], rest: [2999n, 2999n] },
  { feeProtocol0: 4, feeProtocol1: 0, fees: [750n, 0n], rest: [2249n, 2999n] },
  { feeProtocol0: 0, feeProtocol1: 10, fees: [0n, 300n], rest: [2999n, 2699n] },
  { feeProtocol0: 7, feeProtocol1: 9, fees: [428n, 333n], rest: [2571n, 2666n] },
])('shares fees one in $feeProtocol0 and one in $feeProtocol1', ({ fees, rest, ...options }) => {
  const pool = traded(options)
  expect([pool.protocolFees0, pool.protocolFees1]).toEqual(fees)
  expect(owed(pool)).toEqual(rest)
})

test('pays the protocol the requested amount, but keeps the last unit of each token', () => {
  const pool = traded({ feeProtocol0: 4, feeProtocol1: 10 })
  expect(collectProtocol(pool, { amount0: 100n, amount1: 0n })).toEqual({ amount0: 100n, amount1: 0n })
  expect(collectProtocol(pool, { amount0: 650n, amount1: 299n })).toEqual({ amount0: 649n, amount1: 299n })
  expect(collectProtocol(pool)).toEqual({ amount0: 0n, amount1: 0n })
  expect([pool.protocolFees0, pool.protocolFees1]).toEqual([1n, 1n])
})

const newPool = () => createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })

test.each([0, 4, 5, 6, 7, 8, 9, 10])('%i is a protocol fee', (part) => {
  const pool = newPool()
  setProtocolFee(pool, { feeProtocol0: part, feeProtocol1: 4 })
  expect([pool.feeProtocol0, pool.feeProtocol1]).toEqual([part, 4])
  setProtocolFee(pool, { feeProtocol0: 0, feeProtocol1: part })
  expect([pool.feeProtocol0, pool.feeProtocol1]).toEqual([0, part])
})

test.each([-4, 1, 2, 3, 4.5, 11, 255])('%d is not a protocol fee, for either token', (part) => {
  const pool = newPool()
  for (const fee of [
    { feeProtocol0: part, feeProtocol1: 0 },
    { feeProtocol0: 0, feeProtocol1: part },
  ])
    expect(() => setProtocolFee(pool, fee)).toThrow(expect.objectContaining({ code: 'feeProtocol' }))
  expect(pool).toEqual(newPool())
})
