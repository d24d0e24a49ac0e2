import { expect, test } from 'vitest'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { createActivityJournal } from '../activity-journal.ts'
import { createTestWorld } from '../exchange/test-world.ts'
import { createFaults } from '../faults/faults.ts'
import type { SocketInfo } from '../gateway/gateway.ts'
import { buildControl } from './control.ts'
import { CONTROL_ERRORS } from './control-errors.ts'
import { RESOURCES } from './resources.ts'

const TOKEN = 'control-token'
const SOCKET: SocketInfo = { id: 1, address: null, rooms: 0, droppedEvents: 0 }

type Call = {
  method?: 'GET' | 'POST' | 'PUT'
  url: string
  body?: object | string
  headers?: Record<string, string>
}

function createTestBed(failing: { restart?: () => number } = {}) {
  const world = createTestWorld()
  const { clock } = world
  const logLines: string[] = []
  const closes: object[] = []
  let sockets = [SOCKET]
  const gateway = {
    sockets: () => sockets,
    restart() {
      const closed = sockets.length
      sockets = []
      return closed
    },
    closeSocket(id: number, close: object) {
      const open = sockets.find((socket) => socket.id === id)
      if (open) closes.push(close)
      sockets = sockets.filter((socket) => socket !== open)
      return open !== undefined
    },
    ...failing,
  }
  const journal = createActivityJournal({ clock })
  const beside = world.saveBeside()
  const reset = () => world.startOver(createTestWorld(), beside)
  const log = (line: string) => logLines.push(line)
  const faults = createFaults({ clock, world, record: journal.record })
  const app = buildControl({
    observer: null,
    world,
    gateway,
    token: TOKEN,
    clock,
    journal,
    faults,
    reset,
    log,
  })
  const call = async ({ method = 'POST', url, body, headers = {} }: Call) => {
    const response = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${TOKEN}`, host: '127.0.0.1:9000', ...headers },
      ...(body !== undefined && { payload: body }),
    })
    const answer = { status: response.statusCode, body: response.json(), headers: response.headers }
    const resource = RESOURCES.find(({ path }) => path === url.split('?')[0])
    if (answer.status === 200) resource?.output.parse(answer.body)
    return answer
  }
  return { world, call, app, journal, closes, logLines }
}

test('tells of the world', async () => {
  const { world, call } = createTestBed()
  const { status, body } = await call({ method: 'GET', url: '/status' })
  expect(status).toBe(200)
  expect(body).toEqual({
    nowMs: world.clock.nowMs(),
    block: world.views.head().height,
    revision: world.chainRevision(),
    indexedRevision: world.views.protocolState().revision,
    eventLogHash: world.eventLogHash(),
    mining: { mode: 'interval', intervalMs: 500 },
    lag: { blocks: 0 },
    sockets: 1,
  })
})

test('moves the clock on, and dates its answers by it', async () => {
  const { world, call } = createTestBed()
  const before = world.clock.nowMs()
  const { body } = await call({ url: '/clock/advance', body: { ms: 60_000 } })
  expect(body).toEqual({ nowMs: before + 60_000 })
  expect(world.clock.nowMs()).toBe(before + 60_000)
  const { headers } = await call({ method: 'GET', url: '/status' })
  expect(headers.date).toBe(new Date(before + 60_000).toUTCString())
})

test('mines as many blocks as it is told', async () => {
  const { world, call } = createTestBed()
  const { height } = world.views.head()
  expect((await call({ url: '/mine', body: { blocks: 3 } })).body).toEqual({ block: height + 3 })
  expect(world.views.head().height).toBe(height + 3)
})

test('raises the revision by one block', async () => {
  const { world, call } = createTestBed()
  const { height } = world.views.head()
  const revision = world.chainRevision()
  const changes: unknown[] = []
  world.onBlock(({ config }) => config && changes.push(...config.changes))
  const { body } = await call({ url: '/revision', body: { scope: 'fee_tiers', key: '3000' } })
  expect(body.revision).toBeGreaterThan(revision)
  expect(body).toEqual({ revision: world.chainRevision() })
  expect(world.views.protocolState().revision).toBe(body.revision)
  expect(changes).toContainEqual({ scope: 'fee_tiers', key: '3000' })
  expect(world.views.head().height).toBe(height + 1)
})

test('mines on demand, by another interval, or not', async () => {
  const { world, call } = createTestBed()
  const { height } = world.views.head()
  world.start()
  const advance = () => call({ url: '/clock/advance', body: { ms: 1000 } })
  const onDemand = { mode: 'on-demand' }
  expect((await call({ url: '/mining', body: onDemand })).body).toEqual({ mining: onDemand })
  await advance()
  expect(world.views.head().height).toBe(height)
  await call({ url: '/revision', body: { scope: 'fee_tiers', key: '3000' } })
  expect(world.views.head().height).toBe(height + 1)
  await call({ url: '/mining', body: { mode: 'interval', intervalMs: 250 } })
  await advance()
  expect(world.views.head().height).toBe(height + 5)
  await call({ url: '/mining', body: { mode: 'paused' } })
  await advance()
  expect((await call({ method: 'GET', url: '/status' })).body).toMatchObject({
    mining: { mode: 'paused' },
    block: height + 5,
  })
})

test('reorganises the chain: other blocks, as many', async () => {
  const { world, call } = createTestBed()
  await call({ url: '/mine', body: { blocks: 5 } })
  const before = world.views.head()
  const reorged: number[] = []
  world.onBlock((update) => reorged.push(update.reorged))
  expect(await call({ url: '/reorg', body: { depth: 4 } })).toMatchObject({
    status: 200,
    body: { block: before.height },
  })
  expect(world.views.head().hash).not.toBe(before.hash)
  expect(reorged).toEqual([4, 0, 0, 0])
})

test('goes back to a snapshot, and forgets one', async () => {
  const { world, call } = createTestBed()
  const status = async () => (await call({ method: 'GET', url: '/status' })).body
  const before = await status()
  const { snapshot } = (await call({ url: '/snapshot' })).body
  await call({ url: '/mine', body: { blocks: 3 } })
  const came = await status()
  for (let round = 0; round < 2; round++) {
    const { body } = await call({ url: '/revert', body: { snapshot } })
    expect(body).toEqual({ nowMs: before.nowMs, block: before.block })
    expect(await status()).toEqual(before)
    await call({ url: '/mine', body: { blocks: 3 } })
    expect(await status()).toEqual(came)
  }
  expect((await call({ url: '/snapshot/drop', body: { snapshot } })).status).toBe(200)
  const again = await call({ url: '/revert', body: { snapshot } })
  expect([again.status, again.body.code]).toEqual([404, 'snapshot_unknown'])
  expect(again.body.error).toContain(`no snapshot named "${snapshot}": there is none`)
  expect(world.views.head().height).toBe(came.block)
})

test('lets the indexer lag', async () => {
  const { call } = createTestBed()
  const { block } = (await call({ method: 'GET', url: '/status' })).body
  expect((await call({ url: '/lag', body: { blocks: 2 } })).body).toEqual({ lag: { blocks: 2 }, block })
  expect((await call({ url: '/mine', body: { blocks: 3 } })).body).toEqual({ block: block + 1 })
  expect((await call({ url: '/lag', body: { ms: 600 } })).body).toEqual({
    lag: { ms: 600 },
    block: block + 1,
  })
  await call({ url: '/clock/advance', body: { ms: 600 } })
  expect((await call({ method: 'GET', url: '/status' })).body).toMatchObject({
    block: block + 3,
    lag: { ms: 600 },
  })
})

test.each<[string, Call, number, string]>([
  ['an unknown snapshot', { url: '/revert', body: { snapshot: 'x' } }, 404, 'snapshot_unknown'],
  ['to drop an unknown one', { url: '/snapshot/drop', body: { snapshot: 'x' } }, 404, 'snapshot_unknown'],
  ['a reorg of more than is kept', { url: '/reorg', body: { depth: 65 } }, 409, 'reorg_too_deep'],
])('refuses %s and changes nothing', async (_name, request, status, code) => {
  const { call, world } = createTestBed()
  const before = [world.clock.nowMs(), world.eventLogHash()]
  const answer = await call(request)
  expect([answer.status, errorBodySchema.parse(answer.body).code]).toEqual([status, code])
  expect([world.clock.nowMs(), world.eventLogHash()]).toEqual(before)
})

test('keeps 32 snapshots and no more', async () => {
  const { call, world } = createTestBed()
  for (let count = 0; count < 32; count++) world.snapshot()
  const { status, body } = await call({ url: '/snapshot' })
  expect([status, body.code]).toEqual([409, 'snapshots_full'])
})

test('holds the indexer and releases it', async () => {
  const { world, call } = createTestBed()
  const { height } = world.views.head()
  expect((await call({ url: '/indexer/hold' })).body).toEqual({ block: height })
  const { body } = await call({ url: '/revision', body: { scope: 'pause', key: 'none' } })
  const held = (await call({ method: 'GET', url: '/status' })).body
  expect(held).toMatchObject({ block: height, revision: body.revision })
  expect(held.indexedRevision).toBeLessThan(body.revision)
  expect((await call({ url: '/indexer/release' })).body).toEqual({ block: height + 1 })
  expect(world.views.protocolState().revision).toBe(body.revision)
})

test('lists sockets and restarts the gateway', async () => {
  const { call } = createTestBed()
  expect((await call({ method: 'GET', url: '/sockets' })).body).toEqual({ sockets: [SOCKET] })
  expect((await call({ url: '/gateway/restart' })).body).toEqual({ closed: 1 })
  expect((await call({ method: 'GET', url: '/sockets' })).body).toEqual({ sockets: [] })
})

test('closes one socket, with 1012 or what it is told', async () => {
  const { call, closes } = createTestBed()
  const unknown = await call({ url: '/sockets/close', body: { id: 2 } })
  expect([unknown.status, unknown.body.code]).toEqual([404, 'socket_unknown'])
  expect(unknown.body.error).toBe('there is no such socket: expected one of 1, got 2')
  expect((await call({ url: '/sockets/close', body: { id: 1 } })).status).toBe(200)
  expect((await call({ url: '/sockets/close', body: { id: 1 } })).body.error).toContain('none is open')
  const other = createTestBed()
  await other.call({ url: '/sockets/close', body: { id: 1, code: 4000 } })
  const reason = 'closed by the control API'
  expect([closes, other.closes]).toEqual([[{ code: 1012, reason }], [{ code: 4000, reason }]])
})

test('goes back to the start', async () => {
  const { call } = createTestBed()
  const status = async () => (await call({ method: 'GET', url: '/status' })).body
  const before = await status()
  const { snapshot } = (await call({ url: '/snapshot' })).body
  await call({ url: '/revision', body: { scope: 'fee_tiers', key: '3000' } })
  await call({ url: '/mining', body: { mode: 'paused' } })
  expect((await call({ url: '/reset' })).body).toEqual({ nowMs: before.nowMs, block: before.block })
  expect(await status()).toEqual({ ...before, sockets: 0 })
  expect((await call({ url: '/revert', body: { snapshot } })).status).toBe(404)
})

test('keeps a journal of what was done to it, and of nothing that was only read', async () => {
  const { call, journal } = createTestBed()
  journal.record({ kind: 'socket', socket: 7, event: 'closed', closeCode: 1012 })
  await call({ method: 'GET', url: '/status' })
  await call({ url: '/mine', body: { blocks: 1 } })
  await call({ url: '/mine', body: { blocks: 0 } })
  await call({ url: '/mine', headers: { authorization: 'Bearer wrong' } })
  await call({ url: '/nowhere', body: { some: 'thing' } })
  const { entries, last } = (await call({ method: 'GET', url: '/journal' })).body
  const post = { kind: 'control', method: 'POST' }
  expect(entries).toMatchObject([
    { number: 1, kind: 'socket', socket: 7, event: 'closed', closeCode: 1012 },
    { number: 2, ...post, route: '/mine', status: 200, input: { blocks: 1 } },
    { number: 3, ...post, route: '/mine', status: 400, code: 'invalid_request' },
    { number: 4, ...post, route: '/mine', status: 401, code: 'unauthorized' },
    { number: 5, ...post, route: null, status: 404, code: 'not_found' },
  ])
  expect([entries.length, last]).toEqual([5, 5])
  const page = (await call({ method: 'GET', url: '/journal?after=1&limit=2' })).body
  expect(page).toEqual({ entries: entries.slice(1, 3), last: 5 })
  const ofSockets = (await call({ method: 'GET', url: '/journal?kind=socket&limit=2' })).body
  expect(ofSockets).toEqual({ entries: entries.slice(0, 1), last: 5 })
})

test.each([{ body: '' }, { body: {} }, {}])('takes %j where no body is asked for', async (request) => {
  const { call } = createTestBed()
  const headers = { 'content-type': 'application/json' }
  expect((await call({ url: '/indexer/hold', headers, ...request })).status).toBe(200)
})

test.each<[string, Call]>([
  ['an advance backwards', { url: '/clock/advance', body: { ms: -1 } }],
  ['an advance of more than 30 days', { url: '/clock/advance', body: { ms: 30 * 86_400_000 + 1 } }],
  ['an advance by a fraction', { url: '/clock/advance', body: { ms: 0.5 } }],
  ['an advance by text', { url: '/clock/advance', body: { ms: '5' } }],
  ['an advance by nothing', { url: '/clock/advance' }],
  ['no blocks', { url: '/mine', body: { blocks: 0 } }],
  ['1,001 blocks', { url: '/mine', body: { blocks: 1001 } }],
  ['an unknown scope', { url: '/revision', body: { scope: 'fees', key: 'x' } }],
  ['an empty key', { url: '/revision', body: { scope: 'pause', key: '' } }],
  ['no reorg', { url: '/reorg', body: { depth: 0 } }],
  ['an unknown way to mine', { url: '/mining', body: { mode: 'often' } }],
  ['mining without its interval', { url: '/mining', body: { mode: 'interval' } }],
  ['mining without end', { url: '/mining', body: { mode: 'interval', intervalMs: 0 } }],
  ['a lag of nothing', { url: '/lag', body: {} }],
  ['a lag of two kinds', { url: '/lag', body: { blocks: 1, ms: 1 } }],
  ['a lag below zero', { url: '/lag', body: { ms: -1 } }],
  ['a revert to nothing', { url: '/revert', body: {} }],
  ['a close code that no peer may send', { url: '/sockets/close', body: { id: 1, code: 1006 } }],
  ['a socket without its number', { url: '/sockets/close', body: {} }],
  ['a journal page of nothing', { method: 'GET', url: '/journal?limit=0' }],
  ['a journal page of 1,001', { method: 'GET', url: '/journal?limit=1001' }],
  ['a journal from no number', { method: 'GET', url: '/journal?after=' }],
  ['a journal from an exponent', { method: 'GET', url: '/journal?after=1e2' }],
  ['an unknown query', { method: 'GET', url: '/status?x=1' }],
  ['a reset to something', { url: '/reset', body: { snapshot: 'x' } }],
  ['an unknown field', { url: '/indexer/hold', body: { blocks: 1 } }],
  ['a body that is not JSON', { url: '/mine', body: '{', headers: { 'content-type': 'application/json' } }],
  [
    'a body that is not an object',
    { url: '/mine', body: '5', headers: { 'content-type': 'application/json' } },
  ],
  ['another media type', { url: '/mine', body: 'blocks=1', headers: { 'content-type': 'text/plain' } }],
])('refuses %s and changes nothing', async (_name, request) => {
  const { call, world } = createTestBed()
  const before = [world.clock.nowMs(), world.views.head().height]
  const { status, body } = await call(request)
  expect(status).toBe(400)
  expect(errorBodySchema.parse(body).code).toBe('invalid_request')
  expect([world.clock.nowMs(), world.views.head().height]).toEqual(before)
})

test('names all problems of a body at once', async () => {
  const { call } = createTestBed()
  const { body } = await call({ url: '/revision', body: { scope: 'fees', key: 5 } })
  expect(body.error).toMatch(/scope: .*; key: /)
})

test.each([
  ['/nothing', 'GET'],
  ['/status', 'POST'],
  ['/mine', 'GET'],
] as const)('knows no %s by %s', async (url, method) => {
  const { call } = createTestBed()
  const { status, body } = await call({ method, url })
  expect([status, body]).toEqual([404, { error: CONTROL_ERRORS.not_found.error, code: 'not_found' }])
})

test.each([...RESOURCES.map(({ method, path }) => [method, path] as const), ['GET', '/nothing'] as const])(
  'refuses %s %s without the token',
  async (method, url) => {
    const { call } = createTestBed()
    for (const authorization of ['', TOKEN, 'Bearer ', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
      const { status, body, headers } = await call({ method, url, headers: { authorization } })
      expect([status, body.code]).toEqual([401, 'unauthorized'])
      expect(headers['www-authenticate']).toBe('Bearer')
    }
  },
)

test('refuses a Host that is not the loopback, token or not', async () => {
  const { call } = createTestBed()
  const { status, body } = await call({
    method: 'GET',
    url: '/status',
    headers: { host: 'example.com:9000' },
  })
  expect([status, body.code]).toEqual([403, 'host_refused'])
})

test('answers a failure of the stub with 500 and tells the log, not the client', async () => {
  const { call, logLines } = createTestBed({
    restart() {
      throw new Error('broken inside')
    },
  })
  const { status, body } = await call({ url: '/gateway/restart' })
  expect([status, body]).toEqual([500, { error: 'internal error', code: 'internal' }])
  expect(logLines.join()).toContain('broken inside')
})
