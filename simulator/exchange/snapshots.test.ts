import { expect, test } from 'vitest'
import { createTestBed, signMessage } from './test-bed.ts'
import { createTestWorld } from './test-world.ts'

async function createSnapshotBed(perSecond = 1000) {
  const world = createTestWorld()
  const bed = await createTestBed({ world, rateLimit: { burst: 40, perSecond, per: 'credential' } })
  world.include({ name: 'auth', save: bed.auth.save, restore: bed.auth.restore })
  return { ...bed, world }
}

test('a revert restores ended sessions, and removes newer ones', async () => {
  const { world, call, signIn } = await createSnapshotBed()
  const first = await signIn()
  const id = world.snapshot()
  const second = await signIn()
  await call('/auth/logout', { method: 'POST', ...first })
  const statuses = async () => [
    (await call('/access/status', first)).statusCode,
    (await call('/access/status', second)).statusCode,
  ]
  expect(await statuses()).toEqual([401, 200])
  world.revert(id)
  expect(await statuses()).toEqual([200, 401])
})

test('a reverted refresh can be repeated', async () => {
  const { world, call, signIn } = await createSnapshotBed()
  const session = await signIn()
  const refresh = () => call('/auth/refresh', { method: 'POST', ...session })
  const id = world.snapshot()
  expect((await refresh()).statusCode).toBe(200)
  world.clock.advance(60_000)
  expect((await refresh()).statusCode).toBe(401)
  world.revert(id)
  expect((await refresh()).statusCode).toBe(200)
})

test('challenges, tickets and API tokens are open again, or gone', async () => {
  const { world, auth, call, challenge, bearer, wallets } = await createSnapshotBed()
  const { trader } = wallets
  const old = bearer()
  const message = await challenge(trader.address)
  const { ticket } = (await call('/auth/ws-ticket', old)).json().data
  const verify = () =>
    call('/auth/verify', {
      method: 'POST',
      body: { address: trader.address, signature: signMessage(trader, message) },
    })
  const id = world.snapshot()
  const young = bearer()
  const check = async () => [
    (await verify()).statusCode,
    auth.redeemTicket(ticket)?.address,
    (await call('/access/status', old)).statusCode,
    (await call('/access/status', young)).statusCode,
  ]
  expect(await check()).toEqual([200, trader.address, 200, 200])
  expect(await check()).toEqual([401, undefined, 200, 200])
  world.revert(id)
  expect(await check()).toEqual([200, trader.address, 200, 401])
})

test('a redeemed referral code is available again, and its access is gone', async () => {
  const { world, auth, wallets } = await createSnapshotBed()
  const { address } = wallets.stranger
  const code = auth.referrals.findCode(wallets.trader.address) ?? ''
  const id = world.snapshot()
  for (let round = 0; round < 2; round++) {
    expect(auth.hasAccess(address)).toBe(false)
    expect(auth.redeemCode({ address, code })).toBe('done')
    expect(auth.redeemCode({ address: wallets.admin.address, code })).toBe('taken')
    expect(auth.hasAccess(address)).toBe(true)
    world.revert(id)
  }
})

test('the rate limit is restored', async () => {
  const { world, call } = await createSnapshotBed(0.001)
  const take = async (count: number) => {
    const statuses = new Set<number>()
    for (let taken = 0; taken < count; taken++) statuses.add((await call('/pools?limit=1')).statusCode)
    return [...statuses]
  }
  await take(30)
  const id = world.snapshot()
  for (let round = 0; round < 2; round++) {
    expect(await take(10)).toEqual([200])
    expect(await take(1)).toEqual([429])
    world.revert(id)
  }
})
