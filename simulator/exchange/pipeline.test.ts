import { expect, test } from 'vitest'
import { NO_HOOKS } from '../faults/faults.ts'
import type { ResponseAction } from '../faults/hooks.ts'
import { error, hang, rest } from '../mutants/reactions.ts'
import { startStub } from '../stub.ts'
import { formatServerTiming } from './pipeline.ts'
import { createTestBed } from './test-bed.ts'

function createBed({ action, deviation }: { action?: ResponseAction; deviation?: ReturnType<typeof rest> }) {
  const hooks = { ...NO_HOOKS, response: action ? [() => action] : null }
  return createTestBed({ faults: { hooks }, ...(deviation && { deviation }) })
}

const BROKEN = rest('GET /pools/:key', { of: [404], reply: error(500) })
const REFUSED: ResponseAction = {
  do: 'reject',
  status: 503,
  code: 'injected_fault',
  error: 'unavailable',
  body: 'json',
}

test.each([
  { name: 'of the route', logged: { status: 404, code: 'pool_not_found' } },
  { name: 'of a deviation', deviation: BROKEN, logged: { status: 500 } },
  { name: 'of a fault', action: REFUSED, logged: { status: 503, code: 'injected_fault' } },
  {
    name: 'of a fault without an error code',
    action: { do: 'respond', status: 200, body: '{}' } as const,
    logged: { status: 200, lost: 'malformed' },
  },
  {
    name: 'of a fault after a deviation',
    deviation: BROKEN,
    action: REFUSED,
    logged: { status: 503, code: 'injected_fault' },
  },
])('logs the response as it is sent: $name', async ({ logged, name: _name, ...changes }) => {
  const bed = await createBed(changes)
  const { statusCode } = await bed.app.inject('/pools/no-such')
  const { time: _time, ref: _ref, method: _method, route, ...line } = JSON.parse(bed.logLines.at(-1) ?? '')
  expect([statusCode, route, line]).toEqual([logged.status, '/pools/:key', logged])
})

test('calls no fault for a response that a deviation holds back', async () => {
  const requested: string[] = []
  const hooks = {
    ...NO_HOOKS,
    response: [({ route }: { route: string | null }) => void requested.push(route ?? '')],
  }
  let holds = () => {}
  const held = new Promise<void>((resolve) => {
    holds = resolve
  })
  const deviation = rest('GET /pools/:key', {
    of: [404],
    reply(response) {
      holds()
      return hang(response)
    },
  })
  const bed = await createTestBed({ faults: { hooks }, deviation })
  void bed.app.inject('/pools/no-such')
  await held
  await bed.app.inject('/pools')
  expect(requested).toEqual(['/pools'])
  expect(bed.logLines.map((line) => JSON.parse(line).status)).toEqual([404, 200])
})

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
