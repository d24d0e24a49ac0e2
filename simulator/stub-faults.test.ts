// Faults of a complete stub: from its start, via the control API, and across reset, revert and close.
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type FaultPlan, faultPlanSchema } from './faults/fault-plan.ts'
import { connectFeed } from './gateway/test-client.ts'
import { connectRaw } from './http/test-raw-peer.ts'
import { type Stub, startStub } from './stub.ts'

const buildPlan = (faults: readonly object[]): FaultPlan =>
  faultPlanSchema.parse({ description: 'of a test', faults })

async function start(faults?: FaultPlan): Promise<Stub> {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    pace: 'manual',
    ...(faults && { faults }),
  })
  onTestFinished(() => stub.close())
  return stub
}

async function control({ profile, controlToken }: Stub, path: string, body?: object) {
  const response = await fetch(`${profile.control}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${controlToken}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) }
}

const status = async ({ profile }: Stub) => (await fetch(`${profile.baseUrl}/health`)).status

const FAIL_ONCE = buildPlan([{ fault: 'http-error', when: { times: 1 } }])

test('its own plan is active from the start, until replaced; a reset restores it in its initial state', async () => {
  const stub = await start(FAIL_ONCE)
  expect([await status(stub), await status(stub)]).toEqual([503, 200])
  const other = { description: 'another', faults: [{ fault: 'http-429' }] }
  expect(await control(stub, '/faults', other)).toEqual({
    status: 200,
    body: {
      description: 'another',
      faults: [{ place: 0, fault: 'http-429', decisions: 0, triggered: 0 }],
    },
  })
  expect(await status(stub)).toBe(429)
  await control(stub, '/reset', {})
  expect((await control(stub, '/faults')).body).toMatchObject({ description: 'of a test' })
  expect([await status(stub), await status(stub)]).toEqual([503, 200])
})

test('a plan that does not fit changes nothing, and the error lists every problem', async () => {
  const stub = await start(FAIL_ONCE)
  const unfit = await control(stub, '/faults', {
    description: 'unfit',
    faults: [
      { fault: 'http-429' },
      { fault: 'http-hang', where: { routes: ['* /auth/*', 'GET /auth/refresh'] } },
      { fault: 'http-hang', where: { routes: ['nowhere'] } },
    ],
  })
  expect(unfit).toMatchObject({
    status: 400,
    body: {
      code: 'faults_misfit',
      error: expect.stringMatching(/ faults\[1\]\.where\.routes\[1\]: .*; faults\[2\]\.where\.routes\[0\]: /),
    },
  })
  const unknown = await control(stub, '/faults', {
    description: 'x',
    faults: [{ fault: 'nothing' }],
    more: 1,
  })
  expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(unknown.body.error).toMatch(
    /faults\[0\]\.fault: unknown name "nothing"; did you mean .*; more: unknown key/,
  )
  expect([await status(stub), await status(stub)]).toEqual([503, 200])
})

test('a revert leaves faults active, with their remaining time', async () => {
  const stub = await start(buildPlan([{ fault: 'http-error', when: { afterMs: 1000, forMs: 1000 } }]))
  const { snapshot } = (await control(stub, '/snapshot', {})).body
  const advance = (ms: number) => control(stub, '/clock/advance', { ms })
  await advance(1500)
  expect(await status(stub)).toBe(503)
  await control(stub, '/revert', { snapshot })
  await advance(499)
  expect(await status(stub)).toBe(503)
  await advance(1)
  expect(await status(stub)).toBe(200)
})

test('decisions are in the journal, next to their requests', async () => {
  const stub = await start(buildPlan([{ fault: 'http-error', when: { every: 2 } }]))
  await status(stub)
  await status(stub)
  const { entries } = (await control(stub, '/journal')).body
  const request = { kind: 'request', method: 'GET', route: '/health' }
  const fault = { kind: 'fault', fault: 'http-error', place: 0 }
  expect(entries).toMatchObject([
    { number: 1, ...fault, decision: 1, triggered: false, on: 'r0000001' },
    { number: 2, ...request, ref: 'r0000001', status: 200 },
    { number: 3, ...fault, decision: 2, triggered: true, on: 'r0000002' },
    { number: 4, ...request, ref: 'r0000002', status: 503, code: 'injected_fault' },
  ])
})

test('two stubs with the same plan and the same sequence of requests act and report identically', async () => {
  const plan = buildPlan([
    { fault: 'http-429', limit: { mode: 'burst', lastsMs: 300 }, per: 'route', when: { probability: 0.1 } },
    { fault: 'http-reset', when: { probability: 0.1 } },
    { fault: 'http-malformed', as: 'cut-json', when: { probability: 0.3 } },
    { fault: 'http-truncated', when: { probability: 0.1 } },
  ])
  const run = async () => {
    const stub = await start(plan)
    const came: string[] = []
    for (let request = 0; request < 60; request++) {
      const path = ['/pools', '/protocol/state', '/health'][request % 3]
      const reply = fetch(`${stub.profile.baseUrl}${path}`).then(async (response) => {
        const body = await response.text()
        return `${response.status} ${body.length}`
      })
      came.push(await reply.catch(() => 'cut'))
      stub.world.advance(100)
    }
    return { came, journal: (await control(stub, '/journal?limit=1000')).body }
  }
  const first = await run()
  expect(await run()).toEqual(first)
  expect(new Set(first.came.map((came) => came.split(' ')[0]))).toEqual(new Set(['200', '429', 'cut']))
})

test('the schedule that one stub records takes the same decisions on another', async () => {
  const plan = buildPlan([
    { fault: 'http-error', where: { routes: ['GET /health'] }, when: { probability: 0.3 } },
    { fault: 'ws-close', count: 2, everyMs: 1000, when: { afterBlocks: 2 } },
  ])
  const run = async (planned: FaultPlan) => {
    const stub = await start(planned)
    const statuses: number[] = []
    for (let second = 0; second < 20; second++) {
      if (second % 5 === 0) for (let open = 0; open < 4; open++) await connectFeed(`${stub.profile.wsUrl}/ws`)
      statuses.push(await status(stub))
      stub.world.advance(1000)
    }
    const { entries } = (await control(stub, '/journal?limit=1000&kind=fault')).body
    const decisions = z
      .array(z.object({ atMs: z.int(), on: z.string(), triggered: z.boolean() }))
      .parse(entries)
    return { statuses, decisions, schedule: (await control(stub, '/faults/schedule')).body }
  }
  const first = await run(plan)
  const other = faultPlanSchema.parse({ ...first.schedule, seed: 99 })
  expect(await run(other)).toEqual({ ...first, schedule: { ...first.schedule, seed: 99 } })
  const countListed = (fault: number) => other.faults[fault]?.when.on?.length ?? 0
  expect([countListed(0), countListed(1)]).toEqual([6, 16])
})

test('a ticket that ends early ends its socket, before its announced expiry', async () => {
  const stub = await start(buildPlan([{ fault: 'early-expiry', what: 'ticket', livesMs: 5000 }]))
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  const response = await fetch(`${stub.profile.baseUrl}/auth/ws-ticket`, { headers })
  const { data } = z.object({ data: z.object({ ticket: z.string() }) }).parse(await response.json())
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  feed.send({ action: 'authenticate', token: data.ticket })
  await feed.next('authenticated')
  stub.world.advance(4999)
  expect(await feed.synchronize()).toEqual([])
  stub.world.advance(1)
  expect(await feed.closed).toEqual({ code: 4401, reason: 'ticket expired' })
})

test('closes with requests that hang, wait or trickle', async () => {
  const stub = await start(
    buildPlan([
      { fault: 'http-hang', where: { routes: ['GET /health'] } },
      {
        fault: 'http-latency',
        latency: { distribution: 'fixed', ms: 60_000 },
        where: { routes: ['GET /ready'] },
      },
      { fault: 'http-bandwidth', bytesPerSecond: 1, where: { routes: ['GET /protocol/state'] } },
    ]),
  )
  const port = Number(new URL(stub.profile.baseUrl).port)
  const peers = await Promise.all(
    ['/health', '/ready', '/protocol/state'].map(async (path) => {
      const peer = await connectRaw(port)
      peer.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      return peer
    }),
  )
  await peers[2]?.received('content-length')
  await stub.close()
  const ended = await Promise.all(peers.map((peer) => peer.ended))
  expect(ended.map(({ length }) => length > 0)).toEqual([false, false, true])
})
