import { expect, it } from 'vitest'
import { createTestBed } from '../test-bed.ts'

const LIMIT = { burst: 3, perSecond: 0.5, per: 'credential' } as const

async function statuses(count: number, get: () => Promise<{ statusCode: number }>): Promise<number[]> {
  const found: number[] = []
  for (let index = 0; index < count; index++) found.push((await get()).statusCode)
  return found
}

it('returns 429 with an error body and Retry-After once the burst is used up', async () => {
  const bed = await createTestBed({ rateLimit: LIMIT })
  expect(await statuses(3, () => bed.call('/pools'))).toEqual([200, 200, 200])
  const refused = await bed.call('/pools')
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('2')
  expect(refused.json()).toEqual({
    error: 'too many requests',
    code: 'rate_limited',
    ref: expect.any(String),
  })
})

it('serves again after Retry-After on the virtual clock', async () => {
  const bed = await createTestBed({ rateLimit: LIMIT })
  expect(await statuses(4, () => bed.call('/pools'))).toEqual([200, 200, 200, 429])
  bed.clock.advance(2000)
  expect(await statuses(2, () => bed.call('/pools'))).toEqual([200, 429])
})

it('announces a wait of at least one second', async () => {
  const bed = await createTestBed({ rateLimit: { ...LIMIT, burst: 1, perSecond: 1000 } })
  expect(await statuses(1, () => bed.call('/pools'))).toEqual([200])
  expect((await bed.call('/pools')).headers['retry-after']).toBe('1')
})

it('never limits /health and /ready', async () => {
  const bed = await createTestBed({ rateLimit: LIMIT })
  expect(await statuses(5, () => bed.call('/health'))).toEqual([200, 200, 200, 200, 200])
  expect(await statuses(5, () => bed.call('/ready'))).toEqual([200, 200, 200, 200, 200])
})

it('limits unknown paths too', async () => {
  const bed = await createTestBed({ rateLimit: LIMIT })
  expect(await statuses(4, () => bed.call('/nowhere'))).toEqual([404, 404, 404, 429])
})

it('each valid credential has its own bucket; invented ones share that of their address', async () => {
  const bed = await createTestBed({ rateLimit: LIMIT })
  const [first, second] = [bed.bearer(), bed.bearer()]
  const madeUp = (token: string) => bed.call('/swaps', { headers: { authorization: `Bearer ss_${token}` } })
  expect(await statuses(4, () => bed.call('/swaps', first))).toEqual([200, 200, 200, 429])
  expect((await bed.call('/swaps', second)).statusCode).toBe(200)
  expect((await madeUp('a')).statusCode).toBe(401)
  expect((await madeUp('b')).statusCode).toBe(401)
  expect((await bed.call('/pools')).statusCode).toBe(200)
  expect((await madeUp('c')).statusCode).toBe(429)
})

it('per address: credentials behind one address share a bucket', async () => {
  const bed = await createTestBed({ rateLimit: { ...LIMIT, per: 'address' } })
  const [first, second] = [bed.bearer(), bed.bearer()]
  expect(await statuses(3, () => bed.call('/swaps', first))).toEqual([200, 200, 200])
  expect((await bed.call('/swaps', second)).statusCode).toBe(429)
})
