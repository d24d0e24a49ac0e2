import { expect, test } from 'vitest'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createTestBed, statsRoom } from '../test-bed.ts'

const { closes } = defaultChoices.feed

test('accepts a ticket and confirms it', async () => {
  const { connect, issueTicket, wallets, gateway } = await createTestBed()
  const client = await connect()
  expect(gateway.sockets()).toEqual([{ id: 1, node: 1, address: null, rooms: 0, droppedEvents: 0 }])
  client.send({ action: 'authenticate', token: issueTicket(wallets.alice) })
  expect(await client.settle()).toEqual([{ control: 'authenticated' }])
  expect(gateway.sockets()).toEqual([
    { id: 1, node: 1, address: wallets.alice.address, rooms: 0, droppedEvents: 0 },
  ])
})

test.each<[string, (bed: Awaited<ReturnType<typeof createTestBed>>) => string]>([
  ['an unknown ticket', () => 'nonsense'],
  ['an empty ticket', () => ''],
  [
    'an API token',
    ({ auth, wallets }) => auth.issueApiToken({ address: wallets.alice.address, name: 'bot' }),
  ],
  ['an access token', ({ auth, wallets }) => auth.sessions.start(wallets.alice.address).accessToken],
  ['a refresh token', ({ auth, wallets }) => auth.sessions.start(wallets.alice.address).refreshToken],
  [
    'a ticket used before',
    ({ auth, issueTicket, wallets }) => {
      const ticket = issueTicket(wallets.alice)
      auth.redeemTicket(ticket)
      return ticket
    },
  ],
])('refuses %s', async (_name, getToken) => {
  const bed = await createTestBed()
  const client = await bed.connect()
  client.send({ action: 'authenticate', token: getToken(bed) })
  expect(await client.closed).toEqual(closes.authenticationFailed)
})

test('accepts an authenticate frame at the last millisecond of 5 seconds', async () => {
  const { clock, connect, issueTicket, wallets } = await createTestBed()
  const client = await connect()
  clock.advance(4999)
  client.send({ action: 'authenticate', token: issueTicket(wallets.alice) })
  await client.next('authenticated')
  clock.advance(10_000)
  expect(await client.synchronize()).toEqual([])
})

test('closes a socket that has not authenticated after 5 seconds', async () => {
  const { clock, connect } = await createTestBed()
  const client = await connect()
  clock.advance(4999)
  expect(await client.settle()).toEqual([])
  clock.advance(1)
  expect(await client.closed).toEqual(closes.deadlineMissed)
})

test.each<[string, object | string | Buffer]>([
  ['subscribe', { action: 'subscribe', room: 'pool_launches' }],
  ['unsubscribe', { action: 'unsubscribe', room: 'pool_launches' }],
  ['synchronize', { action: 'synchronize' }],
  ['nonsense', 'nonsense'],
  ['a binary frame', Buffer.from('{"action":"synchronize"}')],
])('closes a socket whose first frame is %s', async (_name, frame) => {
  const { connect } = await createTestBed()
  const client = await connect()
  client.send(frame)
  expect(await client.closed).toEqual(closes.authenticationMissing)
})

test('ignores frames after a rejected ticket', async () => {
  const { auth, clock, connect, gateway, issueTicket, wallets } = await createTestBed()
  const client = await connect()
  const ticket = issueTicket(wallets.alice)
  client.send({ action: 'authenticate', token: 'nonsense' })
  client.send({ action: 'authenticate', token: ticket })
  client.send({ action: 'synchronize' })
  await expect(client.next('authenticated')).rejects.toThrow('closed with 4401')
  expect(gateway.sockets()).toEqual([])
  expect(clock.nextAtMs()).toBeUndefined()
  expect(auth.redeemTicket(ticket)).toMatchObject({ address: wallets.alice.address })
})

test('accepts frames right after the authenticate frame', async () => {
  const { connect, emit, pools, issueTicket, wallets } = await createTestBed()
  const [pool] = pools
  if (!pool) throw new Error('no pool')
  const client = await connect()
  client.send({ action: 'authenticate', token: issueTicket(wallets.alice) })
  client.send({ action: 'subscribe', room: statsRoom(pool) })
  expect(await client.synchronize()).toEqual([{ control: 'authenticated' }])
  emit({ poolStats: [pool] })
  await client.next('PoolStats')
})

test('accepts a ticket with a millisecond left, and ends the connection when it expires', async () => {
  const { clock, connect, issueTicket, wallets } = await createTestBed()
  const ticket = issueTicket(wallets.alice)
  clock.advance(59_999)
  const client = await connect()
  client.send({ action: 'authenticate', token: ticket })
  await client.next('authenticated')
  clock.advance(1)
  expect(await client.closed).toEqual(closes.ticketExpired)
})

test('rejects a ticket that is 60 seconds old', async () => {
  const { clock, connect, issueTicket, wallets } = await createTestBed()
  const ticket = issueTicket(wallets.alice)
  clock.advance(60_000)
  const client = await connect()
  client.send({ action: 'authenticate', token: ticket })
  expect(await client.closed).toEqual(closes.authenticationFailed)
})

test('serves until the ticket is 60 seconds old, then ends the connection', async () => {
  const { clock, signIn } = await createTestBed()
  const client = await signIn()
  clock.advance(59_999)
  expect(await client.synchronize()).toEqual([])
  clock.advance(1)
  expect(await client.closed).toEqual(closes.ticketExpired)
})

test('continues with its rooms until the renewed ticket expires', async () => {
  const { clock, emit, gateway, pools, signIn, issueTicket, wallets } = await createTestBed()
  const [pool] = pools
  if (!pool) throw new Error('no pool')
  const client = await signIn()
  client.send({ action: 'subscribe', room: statsRoom(pool) })
  await client.synchronize()
  clock.advance(45_000)
  client.send({ action: 'authenticate', token: issueTicket(wallets.alice) })
  await client.next('authenticated')
  expect(gateway.sockets()).toMatchObject([{ rooms: 1 }])
  clock.advance(59_999)
  emit({ poolStats: [pool] })
  await client.next('PoolStats')
  clock.advance(1)
  expect(await client.closed).toEqual(closes.ticketExpired)
})

test('a renewal with an older ticket does not shorten the connection', async () => {
  const { clock, connect, issueTicket, wallets } = await createTestBed()
  const older = issueTicket(wallets.alice)
  clock.advance(30_000)
  const client = await connect()
  for (const token of [issueTicket(wallets.alice), older]) {
    client.send({ action: 'authenticate', token })
    await client.next('authenticated')
  }
  clock.advance(59_999)
  expect(await client.synchronize()).toEqual([])
  clock.advance(1)
  expect(await client.closed).toEqual(closes.ticketExpired)
})

test('rejects a renewal by another principal', async () => {
  const { signIn, issueTicket, wallets } = await createTestBed()
  const client = await signIn(wallets.alice)
  client.send({ action: 'authenticate', token: issueTicket(wallets.bob) })
  expect(await client.closed).toEqual(closes.principalChanged)
})

test('rejects a renewal with a bad ticket', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  client.send({ action: 'authenticate', token: 'nonsense' })
  expect(await client.closed).toEqual(closes.authenticationFailed)
})

test('leaves no timer behind when a socket closes', async () => {
  const { clock, connect, gateway, logged, signIn } = await createTestBed()
  const clients = [await connect(), await signIn()]
  const closed = Promise.all([logged('socket 1 closed 1000'), logged('socket 2 closed 1000')])
  for (const client of clients) client.socket.close(1000)
  await closed
  expect(gateway.sockets()).toEqual([])
  expect(clock.nextAtMs()).toBeUndefined()
})
