import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

async function refreshOnce(by: 'reset' | 'hang') {
  const exchange = await createFaultyExchange([{ fault: 'refresh-lost', by, when: { times: 1 } }])
  const { cookies } = await exchange.bed.signIn()
  const peer = await exchange.askRaw(
    `POST /auth/refresh HTTP/1.1\r\ncookie: refresh=${cookies.refresh}\r\nx:`,
  )
  return { ...exchange, cookies, peer }
}

test('the token is used up, and the client never gets the next', async () => {
  const { ask, peer, cookies, bed, world } = await refreshOnce('reset')
  const [error] = await once(peer.socket, 'error')
  expect(error.code).toBe('ECONNRESET')
  const again = await ask('/auth/refresh', { method: 'POST', cookies })
  expect([again.statusCode, again.json().code]).toEqual([409, 'refresh_raced'])
  world.clock.advance(60_000)
  const late = await ask('/auth/refresh', { method: 'POST', cookies })
  expect([late.statusCode, late.json().code]).toEqual([401, 'refresh_invalid'])
  expect(bed.auth.sessions.list(bed.wallets.trader.address)).toEqual([])
})

test('or it waits for ever', async () => {
  const { peer, decisions } = await refreshOnce('hang')
  while (decisions().length === 0) await eventLoopTurns()
  await eventLoopTurns()
  expect([peer.socket.bytesRead, peer.socket.readyState]).toEqual([0, 'open'])
})

test('a refresh that is refused is answered', async () => {
  const { ask } = await createFaultyExchange([{ fault: 'refresh-lost' }])
  expect((await ask('/auth/refresh', { method: 'POST' })).statusCode).toBe(401)
})
