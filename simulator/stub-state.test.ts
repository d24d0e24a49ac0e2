import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { type Stub, startStub } from './stub.ts'
import { authenticatedFeed, control, signIn, start, TINY } from './test-started-stub.ts'
import { loadWorld } from './world/world.ts'

test('reverts to a snapshot, sign-ins included, and sends subscribers resync_required', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  feed.send({ action: 'subscribe', room: 'pool_launches' })
  await feed.synchronize()
  const { snapshot } = z.object({ snapshot: z.string() }).parse(await control(stub, '/snapshot', {}))
  const [, wallet] = stub.wallets
  if (!wallet) throw new Error('no second wallet')
  const cookie = await signIn(stub, wallet)
  const status = async () =>
    (await fetch(`${stub.profile.baseUrl}/access/status`, { headers: { cookie } })).status
  expect(await status()).toBe(200)
  await control(stub, '/revert', { snapshot })
  expect(await status()).toBe(401)
  expect(await feed.synchronize()).toEqual([{ control: 'resync_required' }])
})

test('a reset restores the start: world, tokens, sign-ins, clock; sockets are closed', async () => {
  const stub = await start()
  const { world, profile, apiTokens } = stub
  const [, wallet] = stub.wallets
  if (!wallet) throw new Error('no second wallet')
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${profile.baseUrl}/access/status`, { headers })).status
  const blockStatus = async (name: string | number) => {
    const headers = { authorization: `Bearer ${apiTokens[0]}` }
    return (await fetch(`${profile.baseUrl}/debug/block/${name}`, { headers })).status
  }
  const { height } = world.views.head()
  const stands = async () => [
    [world.eventLogHash(), world.clock.nowMs()],
    [await blockStatus(height), await blockStatus(height + 1)],
  ]
  const before = await stands()
  const came = await control(stub, '/mine', { blocks: 20 }).then(() => world.eventLogHash())
  const cookie = await signIn(stub, wallet)
  const feed = await authenticatedFeed(stub)
  await control(stub, '/reset', {})
  expect(await stands()).toEqual(before)
  expect(await status({ cookie })).toBe(401)
  expect((await feed.closed).code).toBe(1012)
  // The stream of secrets is restored too.
  expect(await signIn(stub, wallet)).toBe(cookie)
  await control(stub, '/mine', { blocks: 20 })
  expect(world.eventLogHash()).toBe(came)
})

test('continues a dumped world, with the wallets of its seed', async () => {
  const origin = await start({ seed: 3 })
  await control(origin, '/mine', { blocks: 20 })
  const stub = await start({ load: { dump: origin.world.dump(), source: 'it' } })
  expect(stub.world.eventLogHash()).toBe(origin.world.eventLogHash())
  expect(stub.world.clock.nowMs()).toBe(origin.world.clock.nowMs())
  expect(stub.wallets).toEqual(origin.wallets)
  const dumped = origin.world.eventLogHash()
  for (const one of [origin, stub]) await control(one, '/mine', { blocks: 20 })
  expect(stub.world.eventLogHash()).toBe(origin.world.eventLogHash())
  await control(stub, '/reset', {})
  expect(stub.world.eventLogHash()).toBe(dumped)
})

test('API tokens and sessions outlive a dump; a world dumped without a stub comes with new ones', async () => {
  const origin = await start()
  const [, wallet] = origin.wallets
  if (!wallet) throw new Error('no second wallet')
  const cookie = await signIn(origin, wallet)
  const { world: alone } = loadWorld({ dump: origin.world.dump() })
  const statuses = async (dump: Buffer) => {
    const stub = await start({ load: { dump, source: 'it' } })
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${stub.profile.baseUrl}/access/status`, { headers })).status
    const statusWithToken = ({ apiTokens }: Stub) => statusWith({ authorization: `Bearer ${apiTokens[0]}` })
    return [await statusWith({ cookie }), await statusWithToken(origin), await statusWithToken(stub)]
  }
  expect(await statuses(origin.world.dump())).toEqual([200, 200, 200])
  expect(await statuses(alone.dump())).toEqual([401, 401, 200])
})

test('rejects a file that is not a dump, by its name', async () => {
  await expect(startStub({ ...TINY, load: { dump: Buffer.from('x'), source: 'it' } })).rejects.toMatchObject({
    code: 'dump_foreign',
    message: 'it: not a dump of a world',
    exitCode: 2,
  })
})

test.each([
  ['--feed-port', 'feedPort', 1],
  ['--port', 'restPort', 2],
  ['--control-port', 'controlPort', 3],
] as const)('names a taken %s and closes what it had opened', async (option, key, opened) => {
  const holder = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void holder.close())
  await once(holder, 'listening')
  const address = holder.address()
  const taken = typeof address === 'object' && address ? address.port : 0
  const listen = vi.spyOn(Server.prototype, 'listen')
  onTestFinished(() => listen.mockRestore())
  await expect(startStub({ ...TINY, [key]: taken })).rejects.toMatchObject({
    name: 'BreakwaterError',
    message: `${option} ${taken}: the port is in use`,
    hint: `Use another port with ${option}, or 0 for any free one.`,
    exitCode: 3,
  })
  const servers = listen.mock.contexts as Server[] // as: it is their method
  expect(servers.map(({ listening }) => listening)).toEqual(servers.map(() => false))
  expect(servers).toHaveLength(opened)
})
