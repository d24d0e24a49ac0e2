import { once } from 'node:events'
import { expect, test } from 'vitest'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { readCookies } from '../../exchange/test-bed.ts'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

test('delays the winner: others with the same cookie lose in that time, and the cookies of the winner work', async () => {
  const latency = { distribution: 'fixed', ms: 300 }
  const { send, bed, world } = await createFaultyExchange([{ fault: 'refresh-window', latency }])
  const me = await bed.signIn()
  const refresh = () => send('/auth/refresh', { method: 'POST', cookies: me.cookies })
  let ended = false
  const winner = refresh()
  winner.then(() => (ended = true))
  await eventLoopTurns()
  const loser = await refresh()
  expect([loser.statusCode, loser.json().code, ended]).toEqual([409, 'refresh_raced', false])
  world.clock.advance(300)
  expect((await winner).statusCode).toBe(200)
  expect((await send('/swaps', { cookies: readCookies(await winner) })).statusCode).toBe(200)
})

test('affects one program only', async () => {
  const { bed, decisions, send } = await createFaultyExchange([
    {
      fault: 'refresh-window',
      latency: { distribution: 'fixed', ms: 300 },
      where: { clients: { userAgents: ['tab-2'] } },
    },
  ])
  const { cookies } = await bed.signIn()
  expect((await send('/auth/refresh', { method: 'POST', cookies })).statusCode).toBe(200)
  expect(decisions()).toEqual([])
})

async function refreshOnce(by: 'reset' | 'hang') {
  const exchange = await createFaultyExchange([{ fault: 'refresh-lost', by, when: { times: 1 } }])
  const { cookies } = await exchange.bed.signIn()
  const peer = await exchange.sendRaw(
    `POST /auth/refresh HTTP/1.1\r\ncookie: refresh=${cookies.refresh}\r\nx:`,
  )
  return { ...exchange, cookies, peer }
}

test('the token is used up, and the client never gets the next one', async () => {
  const { send, peer, cookies, bed, world } = await refreshOnce('reset')
  const [error] = await once(peer.socket, 'error')
  expect(error.code).toBe('ECONNRESET')
  const again = await send('/auth/refresh', { method: 'POST', cookies })
  expect([again.statusCode, again.json().code]).toEqual([409, 'refresh_raced'])
  world.clock.advance(60_000)
  const late = await send('/auth/refresh', { method: 'POST', cookies })
  expect([late.statusCode, late.json().code]).toEqual([401, 'refresh_invalid'])
  expect(bed.auth.sessions.list(bed.wallets.trader.address)).toEqual([])
})

test('or it waits forever', async () => {
  const { peer, decisions } = await refreshOnce('hang')
  while (decisions().length === 0) await eventLoopTurns()
  await eventLoopTurns()
  expect([peer.socket.bytesRead, peer.socket.readyState]).toEqual([0, 'open'])
})

test('a rejected refresh gets its response', async () => {
  const { send } = await createFaultyExchange([{ fault: 'refresh-lost' }])
  expect((await send('/auth/refresh', { method: 'POST' })).statusCode).toBe(401)
})

test('an access session ends earlier than reported, and refresh continues it', async () => {
  const { send, bed, world } = await createFaultyExchange([
    { fault: 'early-expiry', what: 'access-session', livesMs: 20_000 },
  ])
  const expiresAt = (await bed.verify(bed.wallets.trader)).json().data.access_expires_at
  expect(Date.parse(expiresAt) - world.clock.nowMs()).toBe(15 * 60_000)
  const { cookies } = await bed.signIn()
  const read = async () => (await send('/swaps', { cookies })).statusCode
  world.clock.advance(19_999)
  expect(await read()).toBe(200)
  world.clock.advance(1)
  expect(await read()).toBe(401)
  expect((await send('/auth/refresh', { method: 'POST', cookies })).statusCode).toBe(200)
})

test('a ticket ends earlier than reported, with the socket that it opened', async () => {
  const { send, bed, world } = await createFaultyExchange([
    { fault: 'early-expiry', what: 'ticket', livesMs: 5000 },
  ])
  const nowMs = world.clock.nowMs()
  const { data } = (await send('/auth/ws-ticket', bed.bearer())).json()
  expect(Date.parse(data.expires_at)).toBe(nowMs + 60_000)
  const other = (await send('/auth/ws-ticket', bed.bearer())).json().data.ticket
  world.clock.advance(4999)
  expect(bed.auth.redeemTicket(data.ticket)?.expiresAtMs).toBe(nowMs + 5000)
  world.clock.advance(1)
  expect(bed.auth.redeemTicket(other)).toBeUndefined()
})

test('affects only the given wallets, and never extends a lifetime', async () => {
  const { send, bed, world, decisions } = await createFaultyExchange([
    { fault: 'early-expiry', what: 'ticket', livesMs: 3_600_000 },
    { fault: 'early-expiry', what: 'ticket', livesMs: 1000, where: { addresses: ['nobody*'] } },
  ])
  const { data } = (await send('/auth/ws-ticket', bed.bearer())).json()
  world.clock.advance(60_000)
  expect(bed.auth.redeemTicket(data.ticket)).toBeUndefined()
  expect(decisions().map(({ place }) => place)).toEqual([0])
})

test('access is lost in mid-session: 403 by cookie and by token, and no ticket', async () => {
  const { send, bed, world } = await createFaultyExchange([
    { fault: 'permission-revoked', what: 'access', when: { afterMs: 1000 } },
  ])
  const { cookies } = await bed.signIn()
  const bot = bed.bearer()
  const statuses = async () => [
    (await send('/swaps', { cookies })).statusCode,
    (await send('/swaps', bot)).statusCode,
    (await send('/auth/ws-ticket', bot)).statusCode,
  ]
  expect(await statuses()).toEqual([200, 200, 200])
  world.clock.advance(1000)
  expect(await statuses()).toEqual([403, 403, 403])
  expect((await send('/access/status', { cookies })).json().data).toMatchObject({ has_access: false })
})

test('API tokens are lost as if revoked, with their tickets; one created later works', async () => {
  const { send, bed, world } = await createFaultyExchange([
    { fault: 'permission-revoked', what: 'api-token', when: { afterMs: 1000 } },
  ])
  const { cookies } = await bed.signIn()
  const bot = bed.bearer()
  const { ticket } = (await send('/auth/ws-ticket', bot)).json().data
  world.clock.advance(1000)
  expect((await send('/swaps', bot)).statusCode).toBe(401)
  expect(bed.auth.redeemTicket(ticket)).toBeUndefined()
  expect((await send('/swaps', { cookies })).statusCode).toBe(200)
  world.clock.advance(1)
  expect((await send('/swaps', bed.bearer())).statusCode).toBe(200)
})

test('revised terms: 403 until the wallet signs in again; other wallets are unaffected', async () => {
  const { send, bed, world } = await createFaultyExchange([
    {
      fault: 'permission-revoked',
      what: 'terms',
      where: { addresses: ['*'] },
      when: { afterMs: 1000 },
    },
  ])
  const { cookies } = await bed.signIn()
  expect((await send('/swaps', { cookies })).statusCode).toBe(200)
  world.clock.advance(1000)
  const refused = await send('/swaps', { cookies })
  expect(refused.statusCode).toBe(403)
  expect(refused.json().error).toContain('has not accepted the current terms of use')
  world.clock.advance(1)
  const again = await bed.signIn()
  expect((await send('/swaps', { cookies: again.cookies })).statusCode).toBe(200)
  expect((await send('/swaps', { cookies })).statusCode).toBe(200)
})

test('affects the given wallets', async () => {
  const { send, bed } = await createFaultyExchange([
    { fault: 'permission-revoked', what: 'access', where: { addresses: ['nobody*'] } },
  ])
  expect((await send('/swaps', bed.bearer())).statusCode).toBe(200)
})

test('dates responses and reports expiries by a clock that is ahead', async () => {
  const { bed, send, world } = await createFaultyExchange([{ fault: 'clock-skew', skewMs: 90_000 }])
  const nowMs = world.clock.nowMs()
  const { headers, ...signedIn } = await bed.verify(bed.wallets.trader)
  expect(Date.parse(String(headers.date))).toBe(nowMs + 90_000)
  expect(Date.parse(signedIn.json().data.access_expires_at)).toBe(nowMs + 15 * 60_000 + 90_000)
  const ticket = await send('/auth/ws-ticket', bed.bearer())
  expect(Date.parse(ticket.json().data.expires_at)).toBe(nowMs + 60_000 + 90_000)
})

test('applies to Retry-After dates too; on some routes only', async () => {
  const { send, world } = await createFaultyExchange(
    [{ fault: 'clock-skew', skewMs: -60_000, where: { routes: ['GET /health'] } }, { fault: 'http-429' }],
    { choices: alternativeChoices },
  )
  const [skewed, right] = [(await send('/health')).headers, (await send('/ready')).headers]
  const nowMs = world.clock.nowMs()
  expect(Date.parse(String(skewed['retry-after']))).toBe(nowMs - 59_000)
  expect(Date.parse(String(skewed.date))).toBe(nowMs - 60_000)
  expect(Date.parse(String(right['retry-after']))).toBe(nowMs + 1000)
})
