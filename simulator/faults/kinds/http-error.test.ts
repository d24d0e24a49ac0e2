import { expect, test } from 'vitest'
import { odd } from '../../choices/odd.ts'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('answers 503 in the words of the exchange, on every second request to a route', async () => {
  const { ask, statuses } = await createFaultyExchange([
    { fault: 'http-error', where: { routes: ['GET /pools*'] }, when: { every: 2 }, retryAfterSeconds: 2 },
  ])
  expect(await statuses(['/pools', '/protocol/state'])).toEqual([200, 200])
  const refused = await ask('/pools')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2'])
  expect(refused.json()).toEqual({
    error: 'the service is in trouble',
    code: 'injected_fault',
    ref: 'r0000003',
  })
  expect(await statuses(['/pools/unknown'])).toEqual([404])
})

test('dates Retry-After where the exchange does', async () => {
  const { ask, world } = await createFaultyExchange(
    [{ fault: 'http-error', status: 500, retryAfterSeconds: 90 }],
    { choices: odd },
  )
  const { statusCode, headers } = await ask('/health')
  expect(statusCode).toBe(500)
  expect(Date.parse(String(headers['retry-after']))).toBe(world.clock.nowMs() + 90_000)
})

test.each([
  { body: 'html', type: 'text/html; charset=utf-8', says: /^<html>[\s\S]*<h1>502 Bad Gateway<\/h1>/ },
  { body: 'none', type: 'text/plain', says: /^$/ },
])('comes with a body of $body', async ({ body, type, says }) => {
  const { ask } = await createFaultyExchange([{ fault: 'http-error', status: 502, body }])
  const answer = await ask('/pools')
  expect(answer).toMatchObject({ statusCode: 502, headers: { 'content-type': type } })
  expect(answer.body).toMatch(says)
  expect(answer.headers['retry-after']).toBeUndefined()
})
