import { expect, test } from 'vitest'
import { NO_HOOKS } from '../faults/faults.ts'
import type { ResponseAction } from '../faults/hooks.ts'
import { error, hang, rest } from '../mutants/reactions.ts'
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
