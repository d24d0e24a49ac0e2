import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('an access session ends before it is told to, and refresh goes on with it', async () => {
  const { ask, bed, world } = await createFaultyExchange([
    { fault: 'early-expiry', what: 'access-session', livesMs: 20_000 },
  ])
  const told = (await bed.verify(bed.wallets.trader)).json().data.access_expires_at
  expect(Date.parse(told) - world.clock.nowMs()).toBe(15 * 60_000)
  const { cookies } = await bed.signIn()
  const read = async () => (await ask('/swaps', { cookies })).statusCode
  world.clock.advance(19_999)
  expect(await read()).toBe(200)
  world.clock.advance(1)
  expect(await read()).toBe(401)
  expect((await ask('/auth/refresh', { method: 'POST', cookies })).statusCode).toBe(200)
})

test('a ticket ends before it is told to, with what it opened', async () => {
  const { ask, bed, world } = await createFaultyExchange([
    { fault: 'early-expiry', what: 'ticket', livesMs: 5000 },
  ])
  const nowMs = world.clock.nowMs()
  const { data } = (await ask('/auth/ws-ticket', bed.bearer())).json()
  expect(Date.parse(data.expires_at)).toBe(nowMs + 60_000)
  const other = (await ask('/auth/ws-ticket', bed.bearer())).json().data.ticket
  world.clock.advance(4999)
  expect(bed.auth.redeemTicket(data.ticket)?.expiresAtMs).toBe(nowMs + 5000)
  world.clock.advance(1)
  expect(bed.auth.redeemTicket(other)).toBeUndefined()
})

test('of some wallets alone, and no longer than they live anyway', async () => {
  const { ask, bed, world, decisions } = await createFaultyExchange([
    { fault: 'early-expiry', what: 'ticket', livesMs: 3_600_000 },
    { fault: 'early-expiry', what: 'ticket', livesMs: 1000, where: { addresses: ['nobody*'] } },
  ])
  const { data } = (await ask('/auth/ws-ticket', bed.bearer())).json()
  world.clock.advance(60_000)
  expect(bed.auth.redeemTicket(data.ticket)).toBeUndefined()
  expect(decisions().map(({ place }) => place)).toEqual([0])
})
