// Events without a normal outcome: requests whose response is cut off, and upgrades that open no socket.
import { expect, test, vi } from 'vitest'
import { faultPlanSchema } from '../faults/fault-plan.ts'
import { UPGRADE } from '../gateway/test-upgrade.ts'
import { connectRaw } from '../http/test-raw-peer.ts'
import type { Stub } from '../stub.ts'
import { authenticated, bearer, connect, control, findings, send, start } from './test-observed-stub.ts'

const plan = (...faults: object[]) => faultPlanSchema.parse({ description: 'Losses', faults })

async function entries(stub: Stub, kind: string) {
  return (await control(stub, `/journal?kind=${kind}`)).entries as { number: number }[]
}

test.each([
  [{ fault: 'http-reset', at: 'request' }, { lost: 'reset' }],
  [
    { fault: 'http-reset', at: 'response' },
    { lost: 'reset', status: 200 },
  ],
  [{ fault: 'http-truncated' }, { lost: 'truncated', status: 200 }],
])('a secret in a URL is found even if the response is lost: %j', async (fault, lost) => {
  const stub = await start({ faults: plan({ ...fault, where: { routes: ['GET /pools'] } }) })
  const requested = send(stub, `/pools?limit=1&key=${stub.apiTokens[0]}`).then((response) => response.text())
  await expect(requested).rejects.toThrow()
  await vi.waitFor(async () => expect(await findings(stub)).toHaveLength(1))
  const [request] = await entries(stub, 'request')
  expect(request).toMatchObject({ method: 'GET', route: '/pools', client: '127.0.0.1 node', ...lost })
  expect(Object.keys(request ?? {}).includes('status')).toBe('status' in lost)
  expect(await findings(stub)).toMatchObject([{ rule: 'client.secrets.not-in-urls', evidence: [lost] }])
})

test('a request that hangs is in the journal at once, and over when its client gives up', async () => {
  const stub = await start({ faults: plan({ fault: 'http-hang', where: { routes: ['POST /auth/logout'] } }) })
  const given = new AbortController()
  const requested = send(stub, `/auth/logout?key=${stub.apiTokens[0]}`, {
    method: 'POST',
    signal: given.signal,
  })
  const ended = requested.catch(() => 'gone')
  await vi.waitFor(async () =>
    expect(await entries(stub, 'request')).toMatchObject([{ route: '/auth/logout', lost: 'hang' }]),
  )
  expect(await findings(stub)).toEqual([])
  given.abort()
  expect(await ended).toBe('gone')
  await vi.waitFor(async () => expect(await findings(stub)).toHaveLength(1))
  expect(await entries(stub, 'request')).toHaveLength(1)
})

test('a client that leaves before the response has disconnected', async () => {
  const latency = { distribution: 'fixed', ms: 5000 }
  const stub = await start({
    faults: plan({ fault: 'http-latency', latency, where: { routes: ['GET /pools'] } }),
  })
  const given = new AbortController()
  const ended = send(stub, '/pools?limit=1', { signal: given.signal }).catch(() => 'gone')
  await vi.waitFor(async () => expect((await control(stub, '/clients')).clients).toHaveLength(1))
  given.abort()
  expect(await ended).toBe('gone')
  await vi.waitFor(async () =>
    expect(await entries(stub, 'request')).toMatchObject([{ route: '/pools', lost: 'disconnected' }]),
  )
  await control(stub, '/clock/advance', { ms: 6000 })
  await send(stub, '/tokens')
  expect(await entries(stub, 'request')).toHaveLength(2)
})

test.each([
  [
    { fault: 'ws-handshake-error', status: 503 },
    { outcome: 'rejected', status: 503 },
  ],
  [
    { fault: 'ws-handshake-error', status: 429, retryAfterSeconds: 7 },
    { outcome: 'rejected', status: 429, retryAfterMs: 7000 },
  ],
  [{ fault: 'ws-handshake-reset' }, { outcome: 'reset' }],
])('an upgrade that opens no socket is in the journal: %j', async (fault, outcome) => {
  const stub = await start({ faults: plan(fault) })
  await expect(connect(stub)).rejects.toThrow()
  await vi.waitFor(async () =>
    expect(await entries(stub, 'upgrade')).toMatchObject([
      { client: expect.stringMatching(/^127\.0\.0\.1 /), ...outcome },
    ]),
  )
})

test.each(['end', 'destroy'] as const)(
  'an upgrade that hangs is over when its client leaves: %s',
  async (leave) => {
    const stub = await start({ faults: plan({ fault: 'ws-handshake-hang' }) })
    const peer = await connectRaw(Number(new URL(stub.profile.wsUrl).port))
    peer.write(UPGRADE)
    await vi.waitFor(async () => expect(await entries(stub, 'fault')).toMatchObject([{ triggered: true }]))
    expect(await entries(stub, 'upgrade')).toEqual([])
    peer.socket[leave]()
    await vi.waitFor(async () => expect(await entries(stub, 'upgrade')).toMatchObject([{ outcome: 'hang' }]))
  },
)

test('a ticket that its client cannot read is lost', async () => {
  const stub = await start()
  const feed = await authenticated(stub)
  await control(stub, '/faults', plan({ fault: 'http-malformed', as: 'null' }))
  await control(stub, '/clock/advance', { ms: 45_000 })
  await send(stub, '/auth/ws-ticket', bearer(stub))
  await vi.waitFor(async () =>
    expect((await entries(stub, 'request')).at(-1)).toMatchObject({ lost: 'malformed', status: 200 }),
  )
  await control(stub, '/clock/advance', { ms: 15_000 })
  await feed.closed
  expect(await findings(stub)).toEqual([])
})

test('reconnects at a fixed interval are found although no socket opens', async () => {
  const stub = await start()
  const feed = await authenticated(stub)
  await control(stub, '/clock/advance', { ms: 2000 })
  await control(stub, '/faults', plan({ fault: 'ws-handshake-error', status: 503 }))
  await control(stub, '/gateway/restart', {})
  await feed.closed
  for (let count = 0; count < 5; count++) {
    await control(stub, '/clock/advance', { ms: 500 })
    await expect(connect(stub)).rejects.toThrow()
  }
  expect(await findings(stub)).toMatchObject([
    {
      rule: 'client.reconnect.backs-off',
      evidence: [
        { kind: 'socket', event: 'ending' },
        ...[{}, {}, {}, {}, {}].map(() => ({ kind: 'upgrade', status: 503 })),
      ],
    },
  ])
})

test('two programs with one wallet are two clients, and each has its own findings', async () => {
  const stub = await start()
  const path = `/pools?limit=1&key=${stub.apiTokens[0]}`
  const { authorization } = bearer(stub).headers
  for (const agent of ['one', 'other'])
    await send(stub, path, { headers: { authorization, 'user-agent': agent } })
  const wallet = stub.wallets[1]?.address
  expect((await findings(stub)).map(({ client }) => client)).toEqual([
    wallet,
    `${wallet} #2 (127.0.0.1 other)`,
  ])
})

test('a socket that a fault mutes is not judged for its renewal', async () => {
  const stub = await start()
  await authenticated(stub)
  await control(stub, '/faults', plan({ fault: 'ws-blackhole', everyMs: 1000 }))
  await control(stub, '/clock/advance', { ms: 60_000 })
  expect(await findings(stub)).toEqual([])
})
