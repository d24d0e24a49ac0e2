import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { startStub } from './stub.ts'

/** The body of a response of the stub. */
async function read(url: string): Promise<string> {
  return (await fetch(url)).text()
}

test('the seed decides the world: the same seed gives the same pools', async () => {
  const pools = async (seed: number) => {
    await using stub = await startStub({ seed, clock: 'manual' })
    return await read(`${stub.baseUrl}/pools`)
  }
  const [one, same, other] = [await pools(1), await pools(1), await pools(2)]
  expect(one).toBe(same)
  expect(one).not.toBe(other)
})

test('a manual clock moves by advance and mine alone', async () => {
  await using stub = await startStub({ clock: 'manual' })
  const status = async () => (await stub.control('GET /status')) as { nowMs: number; block: number }
  const before = await status()
  await stub.advance(60_000)
  expect((await status()).nowMs).toBe(before.nowMs + 60_000)
  const { block } = await status()
  await stub.mine(3)
  expect((await status()).block).toBe(block + 3)
})

test('faults apply by name and as data, and end', async () => {
  const fault = { fault: 'http-error', where: { routes: ['GET /tokens'] } }
  await using stub = await startStub({ faults: { faults: [fault] } })
  const status = async () => (await fetch(`${stub.baseUrl}/tokens`)).status
  expect(await status()).toBe(503)
  await stub.clearFaults()
  expect(await status()).toBe(200)
  await stub.applyFaults('deploy-1012')
  expect(await stub.control('GET /faults')).toMatchObject({ faults: [{ fault: 'ws-close' }] })
  await stub.applyFaults({ faults: [{ ...fault, when: { every: 2 } }] })
  const statuses = [await status(), await status(), await status()]
  const schedule = await stub.faultSchedule()
  expect(schedule).toMatchObject({ faults: [{ ...fault, when: { on: [2] } }] })
  await stub.applyFaults(schedule)
  expect([await status(), await status(), await status()]).toEqual(statuses)
  await stub.reset()
  expect(await status()).toBe(503)
})

test('the observer reports a client that does wrong, and what it checked', async () => {
  await using stub = await startStub({ clock: 'manual' })
  await fetch(`${stub.baseUrl}/pools?api_token=${stub.apiTokens[0]}`)
  expect((await stub.findings()).map(({ rule }) => rule)).toEqual(['client.secrets.not-in-urls'])
  expect((await stub.journal()).filter(({ kind }) => kind === 'request')).toMatchObject([
    { method: 'GET', route: '/pools', status: 200 },
  ])
})

test('the client of the library draws no finding, and signs in by itself', async () => {
  await using stub = await startStub()
  const wallet = stub.wallets.find(({ hasAccess, admin }) => hasAccess && !admin)
  if (!wallet) throw new Error('no wallet has access')
  const client = createClient({ profile: stub.profile, as: { wallet } })
  expect(await client.exchange.get('/access/status')).toEqual({ data: { has_access: true } })
  await client.stop()
  expect(await stub.findings()).toEqual([])
  expect((await stub.duties())['client.message.exact']).toEqual({ situations: 1, handled: 1, violations: 0 })
})

test('rateLimit: false removes the limit', async () => {
  await using stub = await startStub({ rateLimit: false, clock: 'manual' })
  await using limited = await startStub({ clock: 'manual' })
  const limits = [stub, limited].map(({ profile }) => profile.choices.rateLimit?.perSecond)
  expect(limits).toEqual([1_000_000, 1000])
})

test.each([
  [
    { choices: 'strange', sead: 1 },
    'startStub: not a valid set of options:\n  choices: unknown name "strange"; expected default, alternative or replicated\n  sead: unknown key; did you mean seed, ',
  ],
  [{ world: 'atlantis' }, /atlantis/],
  [{ faults: 'sunshine' }, 'unknown fault plan "sunshine"'],
  [{ faults: { faults: [] } }, /^faults: not a valid fault plan:\n {2}faults: /],
])('rejects %j', async (options, message) => {
  // as: what a caller without types may pass
  await expect(startStub(options as Parameters<typeof startStub>[0])).rejects.toThrow(message)
})

test.each([
  [undefined, undefined, 'resource: missing; expected a string'],
  ['sockets', undefined, 'resource: expected a method and a path, such as POST /gateway/restart'],
  ['GET /sockets', { a: 1 }, 'body: a GET takes no body; '],
  ['POST /mine', 5, 'body: expected an object, found a number'],
])('control(%j, %j) says what is wrong', async (resource, body, message) => {
  await using stub = await startStub({ clock: 'manual' })
  // as: what a caller without types may pass
  const called = stub.control(resource as string, body as object)
  await expect(called).rejects.toThrow(`control: not a valid set of arguments:\n  ${message}`)
})

test('a closed stub says so', async () => {
  const stub = await startStub()
  await stub.close()
  await expect(stub.findings()).rejects.toThrow('GET /findings?after=0&limit=1000: the stub does not respond')
})
