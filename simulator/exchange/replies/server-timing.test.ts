import { expect, test } from 'vitest'
import { startStub } from '../../stub.ts'
import { createTestBed } from '../test-bed.ts'
import { formatServerTiming } from './server-timing.ts'

test.each([
  ['with a queue', { arrivedAtMs: 100, servedAtMs: 112.5 }, 'queue;dur=12.5, app;dur=7.75, total;dur=20.25'],
  ['without one', { arrivedAtMs: 100.25 }, 'app;dur=20, total;dur=20'],
  [
    'in the same microsecond',
    { arrivedAtMs: 120.2499999, servedAtMs: 120.2499999 },
    'queue;dur=0, app;dur=0, total;dur=0',
  ],
])('the parts add up to the total: %s', (_name, request, text) => {
  expect(formatServerTiming(request, 120.25)).toBe(text)
})

test('a request that skipped all hooks has no times', () => {
  expect(formatServerTiming({}, 5)).toBeNull()
})

const TIMES = /^app;dur=[0-9]+(\.[0-9]{1,3})?, total;dur=[0-9]+(\.[0-9]{1,3})?$/

test.each([
  ['/pools', 200],
  ['/no-such-route', 404],
  ['/swaps', 401],
])('a response of %s has its times (%i)', async (path, status) => {
  const { app } = await createTestBed()
  const { statusCode, headers } = await app.inject(path)
  expect(statusCode).toBe(status)
  expect(headers['server-timing']).toMatch(TIMES)
})

test('a stub with a service queue shows the time in it, except for routes that skip it', async () => {
  const stub = await startStub({
    world: 'tiny',
    seed: 1,
    mutant: null,
    pace: 'real',
    serviceRate: 200,
  })
  const times = async (path: string) =>
    (await fetch(`${stub.profile.baseUrl}${path}`)).headers.get('server-timing') ?? ''
  const [read, health] = [await times('/tokens'), await times('/health')]
  await stub.close()
  const parts = Object.fromEntries(read.split(', ').map((part) => part.split(';dur=')))
  expect(Object.keys(parts)).toEqual(['queue', 'app', 'total'])
  expect(Number(parts.queue)).toBeGreaterThan(4)
  expect(Number(parts.total)).toBeCloseTo(Number(parts.queue) + Number(parts.app), 2)
  expect(health).toMatch(/^queue;dur=0(\.[0-9]+)?, app/)
})
