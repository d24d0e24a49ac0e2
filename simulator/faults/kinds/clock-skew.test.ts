import { expect, test } from 'vitest'
import { odd } from '../../choices/odd.ts'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('dates answers, and tells what ends when, by a clock that is ahead', async () => {
  const { bed, ask, world } = await createFaultyExchange([{ fault: 'clock-skew', skewMs: 90_000 }])
  const nowMs = world.clock.nowMs()
  const { headers, ...signedIn } = await bed.verify(bed.wallets.trader)
  expect(Date.parse(String(headers.date))).toBe(nowMs + 90_000)
  expect(Date.parse(signedIn.json().data.access_expires_at)).toBe(nowMs + 15 * 60_000 + 90_000)
  const ticket = await ask('/auth/ws-ticket', bed.bearer())
  expect(Date.parse(ticket.json().data.expires_at)).toBe(nowMs + 60_000 + 90_000)
})

test('tells Retry-After by it too, where that is a date; on some routes alone', async () => {
  const { ask, world } = await createFaultyExchange(
    [{ fault: 'clock-skew', skewMs: -60_000, where: { routes: ['GET /health'] } }, { fault: 'http-429' }],
    { choices: odd },
  )
  const [skewed, right] = [(await ask('/health')).headers, (await ask('/ready')).headers]
  const nowMs = world.clock.nowMs()
  expect(Date.parse(String(skewed['retry-after']))).toBe(nowMs - 59_000)
  expect(Date.parse(String(skewed.date))).toBe(nowMs - 60_000)
  expect(Date.parse(String(right['retry-after']))).toBe(nowMs + 1000)
})
