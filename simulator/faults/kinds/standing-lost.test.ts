import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('access is gone in mid-session: 403 where there were answers, by cookie and by token, and no ticket', async () => {
  const { ask, bed, world } = await createFaultyExchange([
    { fault: 'standing-lost', what: 'access', when: { afterMs: 1000 } },
  ])
  const { cookies } = await bed.signIn()
  const bot = bed.bearer()
  const statuses = async () => [
    (await ask('/swaps', { cookies })).statusCode,
    (await ask('/swaps', bot)).statusCode,
    (await ask('/auth/ws-ticket', bot)).statusCode,
  ]
  expect(await statuses()).toEqual([200, 200, 200])
  world.clock.advance(1000)
  expect(await statuses()).toEqual([403, 403, 403])
  expect((await ask('/access/status', { cookies })).json().data).toMatchObject({ has_access: false })
})

test('API tokens are gone as if revoked, with the tickets that they took; one created since works', async () => {
  const { ask, bed, world } = await createFaultyExchange([
    { fault: 'standing-lost', what: 'api-token', when: { afterMs: 1000 } },
  ])
  const { cookies } = await bed.signIn()
  const bot = bed.bearer()
  const { ticket } = (await ask('/auth/ws-ticket', bot)).json().data
  world.clock.advance(1000)
  expect((await ask('/swaps', bot)).statusCode).toBe(401)
  expect(bed.auth.redeemTicket(ticket)).toBeUndefined()
  expect((await ask('/swaps', { cookies })).statusCode).toBe(200)
  world.clock.advance(1)
  expect((await ask('/swaps', bed.bearer())).statusCode).toBe(200)
})

test('revised terms: 403 until the wallet signs in again; other wallets are not touched', async () => {
  const { ask, bed, world } = await createFaultyExchange([
    {
      fault: 'standing-lost',
      what: 'terms',
      where: { addresses: ['*'] },
      when: { afterMs: 1000 },
    },
  ])
  const { cookies } = await bed.signIn()
  expect((await ask('/swaps', { cookies })).statusCode).toBe(200)
  world.clock.advance(1000)
  const refused = await ask('/swaps', { cookies })
  expect(refused.statusCode).toBe(403)
  expect(refused.json().error).toContain('has not accepted the current terms of use')
  world.clock.advance(1)
  const again = await bed.signIn()
  expect((await ask('/swaps', { cookies: again.cookies })).statusCode).toBe(200)
  expect((await ask('/swaps', { cookies })).statusCode).toBe(200)
})

test('is aimed at wallets', async () => {
  const { ask, bed } = await createFaultyExchange([
    { fault: 'standing-lost', what: 'access', where: { addresses: ['nobody*'] } },
  ])
  expect((await ask('/swaps', bed.bearer())).statusCode).toBe(200)
})
