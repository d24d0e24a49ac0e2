import { expect, test } from 'vitest'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

test.each(['request', 'answer'])('leaves a real socket open without an answer, at the %s', async (at) => {
  const { ask, askRaw, decisions } = await createFaultyExchange([
    { fault: 'http-hang', at, when: { times: 1 } },
  ])
  const { socket } = await askRaw('GET /protocol/state')
  while (decisions().length === 0) await eventLoopTurns()
  expect((await ask('/protocol/state')).statusCode).toBe(200)
  expect([socket.bytesRead, socket.readyState]).toEqual([0, 'open'])
  expect(decisions()).toMatchObject([
    { decision: 1, acts: true, on: 'r0000001' },
    { decision: 2, acts: false, on: 'r0000002' },
  ])
})
