import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import type { Readiness } from './health.ts'

test('is ready while the world runs, and otherwise states the reason', async () => {
  let readiness: Readiness = 'starting'
  const bed = await createTestBed({ readiness: () => readiness })
  const request = async (path: string) => {
    const { statusCode, headers, json } = await bed.call(path)
    return { status: statusCode, retryAfter: headers['retry-after'], body: json() }
  }
  const error = 'the exchange is not ready: its world is not running yet'
  expect(await request('/ready')).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { error, code: 'not_ready' },
  })
  expect((await request('/health')).status).toBe(200)
  readiness = 'ready'
  const { height } = bed.views.head()
  expect(await request('/ready')).toMatchObject({
    status: 200,
    body: { data: { status: 'ready', block: height } },
  })
  readiness = 'closing'
  expect((await request('/ready')).body.error).toBe('the exchange is not ready: it is closing')
  expect((await request('/health')).status).toBe(200)
})

test('probes and scrapes are exempt from the rate limit', async () => {
  const bed = await createTestBed({ rateLimit: { burst: 1, perSecond: 0.001, per: 'address' } })
  for (const path of ['/health', '/ready', '/metrics', '/health', '/ready', '/metrics']) {
    expect((await bed.call(path)).statusCode).toBe(200)
  }
})
