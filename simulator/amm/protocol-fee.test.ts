import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import { createPool } from './pool.ts'
import { setProtocolFee } from './protocol-fee.ts'

const newPool = () => createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })

test.each([0, 4, 5, 6, 7, 8, 9, 10])('%i is a protocol fee', (part) => {
  const pool = newPool()
  setProtocolFee(pool, { feeProtocol0: part, feeProtocol1: 4 })
  expect([pool.feeProtocol0, pool.feeProtocol1]).toEqual([part, 4])
  setProtocolFee(pool, { feeProtocol0: 0, feeProtocol1: part })
  expect([pool.feeProtocol0, pool.feeProtocol1]).toEqual([0, part])
})

test.each([-4, 1, 2, 3, 4.5, 11, 255])('%d is none, for either token', (part) => {
  const pool = newPool()
  for (const fee of [
    { feeProtocol0: part, feeProtocol1: 0 },
    { feeProtocol0: 0, feeProtocol1: part },
  ])
    expect(() => setProtocolFee(pool, fee)).toThrow(expect.objectContaining({ code: 'feeProtocol' }))
  expect(pool).toEqual(newPool())
})
