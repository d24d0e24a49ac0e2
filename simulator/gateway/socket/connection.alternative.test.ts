// The choices of the set `alternative` that a socket meets.
import { expect, test } from 'vitest'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { createTestBed } from '../test-bed.ts'

const { encode } = alternativeChoices.wire.poolKey

async function signedIn() {
  const bed = await createTestBed({ choices: alternativeChoices })
  const client = await bed.connect()
  client.send({ action: 'authenticate', token: bed.issueTicket(bed.wallets.alice) })
  return { ...bed, client }
}

test('greets a socket, and confirms neither authenticate nor rejected frames', async () => {
  const { client, wallets } = await signedIn()
  client.send({ action: 'subscribe', room: 'nonsense' })
  client.send({
    action: 'subscribe',
    room: `balances:${alternativeChoices.wire.address.encode(wallets.bob.address)}`,
  })
  expect(await client.synchronize()).toEqual([{ control: 'motd' }])
})

test('ignores frames before authentication', async () => {
  const { connect, wallets, issueTicket } = await createTestBed({ choices: alternativeChoices })
  const client = await connect()
  client.send({ action: 'synchronize' })
  client.send({ action: 'authenticate', token: issueTicket(wallets.alice) })
  expect(await client.synchronize()).toEqual([{ control: 'motd' }])
  expect(await client.settle()).toEqual([])
})

test('closes on an invalid frame', async () => {
  const { client } = await signedIn()
  client.send('{')
  expect(await client.closed).toEqual(alternativeChoices.feed.closes.frameInvalid)
})

test('ignores a renewal by another principal', async () => {
  const { client, clock, wallets, issueTicket } = await signedIn()
  await client.synchronize()
  clock.advance(59_000)
  client.send({ action: 'authenticate', token: issueTicket(wallets.bob) })
  await client.synchronize()
  clock.advance(1000)
  expect(await client.closed).toEqual(alternativeChoices.feed.closes.ticketExpired)
})

test('accepts a ticket any number of times', async () => {
  const { connect, issueTicket, wallets } = await createTestBed({ choices: alternativeChoices })
  const token = issueTicket(wallets.alice)
  for (let socket = 0; socket < 2; socket++) {
    const client = await connect()
    client.send({ action: 'authenticate', token })
    expect(await client.synchronize()).toEqual([{ control: 'motd' }])
  }
})

test('spells rooms, pools, tokens and addresses like REST', async () => {
  const { client, emit, pools, wallets } = await signedIn()
  const [pool] = pools
  if (!pool) throw new Error('the test world has pools')
  const address = alternativeChoices.wire.address.encode(wallets.alice.address)
  client.send({ action: 'subscribe', room: `pool_stats:${pool.key}` })
  client.send({ action: 'subscribe', room: `pool_stats:${encode(pool.key)}` })
  client.send({ action: 'subscribe', room: `balances:${address}` })
  await client.synchronize()
  const change = { address: wallets.alice.address, token: pool.token0, delta: 1n, balance: 2n, block: 8 }
  emit({ poolStats: [pool], balanceChanges: [change] })
  const events = await client.synchronize()
  expect(events).toMatchObject([
    { ...alternativeChoices.extraFields, type: 'PoolStats', data: { event: { market: encode(pool.key) } } },
    {
      ...alternativeChoices.extraFields,
      type: 'BalanceChange',
      data: { event: { account: address }, token: alternativeChoices.wire.tokenId.encode(pool.token0.id) },
    },
  ])
})

test('ignores frames silently above 240 within its window', async () => {
  const { client, clock } = await signedIn()
  await client.synchronize()
  for (let frame = 0; frame < 250; frame++) client.send({ action: 'synchronize' })
  expect(await client.settle()).toHaveLength(238)
  clock.advance(59_000)
  client.send({ action: 'synchronize' })
  expect(await client.settle()).toEqual([])
})
