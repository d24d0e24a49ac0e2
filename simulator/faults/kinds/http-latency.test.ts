import { expect, test } from 'vitest'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

test.each(['request', 'answer'])('holds it back at the %s, by the virtual clock', async (at) => {
  const latency = { distribution: 'fixed', ms: 250 }
  const { ask, bed, world } = await createFaultyExchange([{ fault: 'http-latency', at, latency }])
  let ended = false
  const path = '/auth/challenge'
  const answer = ask(path, { method: 'POST', body: { address: bed.wallets.trader.address } })
  answer.then(() => (ended = true))
  await eventLoopTurns()
  world.clock.advance(249)
  await eventLoopTurns()
  expect(ended).toBe(false)
  world.clock.advance(1)
  expect((await answer).statusCode).toBe(200)
})

test('two faults that delay add up', async () => {
  const latency = { distribution: 'fixed', ms: 100 }
  const { ask, world } = await createFaultyExchange([
    { fault: 'http-latency', latency },
    { fault: 'http-latency', latency },
  ])
  let ended = false
  const answer = ask('/health').then(() => (ended = true))
  await eventLoopTurns()
  world.clock.advance(199)
  await eventLoopTurns()
  expect(ended).toBe(false)
  world.clock.advance(1)
  await answer
})
