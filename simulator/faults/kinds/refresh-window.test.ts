import { expect, test } from 'vitest'
import { cookiesOf } from '../../exchange/test-bed.ts'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

test('holds the winner back: who comes meanwhile with the same cookie loses, and the winner’s cookies work', async () => {
  const latency = { distribution: 'fixed', ms: 300 }
  const { ask, bed, world } = await createFaultyExchange([{ fault: 'refresh-window', latency }])
  const me = await bed.signIn()
  const refresh = () => ask('/auth/refresh', { method: 'POST', cookies: me.cookies })
  let ended = false
  const winner = refresh()
  winner.then(() => (ended = true))
  await eventLoopTurns()
  const loser = await refresh()
  expect([loser.statusCode, loser.json().code, ended]).toEqual([409, 'refresh_raced', false])
  world.clock.advance(300)
  expect((await winner).statusCode).toBe(200)
  expect((await ask('/swaps', { cookies: cookiesOf(await winner) })).statusCode).toBe(200)
})

test('is aimed at one program', async () => {
  const { bed, decisions, ask } = await createFaultyExchange([
    {
      fault: 'refresh-window',
      latency: { distribution: 'fixed', ms: 300 },
      where: { clients: { userAgents: ['tab-2'] } },
    },
  ])
  const { cookies } = await bed.signIn()
  expect((await ask('/auth/refresh', { method: 'POST', cookies })).statusCode).toBe(200)
  expect(decisions()).toEqual([])
})
