import { expect, test } from 'vitest'
import { isLoopbackHost } from '../../contract/addresses.ts'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { type Call, createTestBed, SOCKET } from './test-bed.ts'

test('describes the world', async () => {
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

test('advances the clock, and dates its responses by it', async () => {
  const { world, call } = createTestBed()
  const before = world.clock.nowMs()
  const { body } = await call({ url: '/clock/advance', body: { ms: 60_000 } })
  expect(body).toEqual({ nowMs: before + 60_000 })
  expect(world.clock.nowMs()).toBe(before + 60_000)
  const { headers } = await call({ method: 'GET', url: '/status' })
  expect(headers.date).toBe(new Date(before + 60_000).toUTCString())
})

test('mines the requested number of blocks', async () => {
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

test('reorganizes the chain: as many blocks, with different contents', async () => {
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

test('reverts to a snapshot, and drops one', async () => {
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
  expect(again.body.error).toContain(`no snapshot named "${snapshot}": no snapshots exist`)
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
  const response = await call(request)
  expect([response.status, errorBodySchema.parse(response.body).code]).toEqual([status, code])
  expect([world.clock.nowMs(), world.eventLogHash()]).toEqual(before)
})

test('keeps 32 snapshots and no more', async () => {
  const { call, world } = createTestBed()
  for (let count = 0; count < 32; count++) world.snapshot()
  const { status, body } = await call({ url: '/snapshot' })
  expect([status, body.code]).toEqual([409, 'snapshots_full'])
})

test('lists up to 10,000 triggers of a fault in the schedule of a plan', async () => {
  const { call } = createTestBed()
  const read = () => call({ method: 'GET', url: '/faults/schedule' })
  expect(await read()).toMatchObject({ status: 409, body: { code: 'faults_none' } })
  // Triggered each millisecond without effect, because the chain is shorter.
  const fault = { fault: 'reorg', depth: 64, everyMs: 1 }
  await call({ url: '/faults', body: { description: 'of a test', faults: [fault] } })
  await call({ url: '/mining', body: { mode: 'paused' } })
  await call({ url: '/clock/advance', body: { ms: 9999 } })
  const { body } = await read()
  expect(body).toMatchObject({ faults: [{ ...fault, when: { afterMs: 0, on: { length: 10_000 } } }] })
  expect((await call({ url: '/faults', body })).status).toBe(200)
  await call({ url: '/clock/advance', body: { ms: 10_000 } })
  expect((await read()).body.faults[0].when.on).toHaveLength(10_000)
  await call({ url: '/faults', body: { description: 'of a test', faults: [fault] } })
  await call({ url: '/clock/advance', body: { ms: 10_000 } })
  expect(await read()).toMatchObject({
    status: 409,
    body: { code: 'schedule_full', error: expect.stringMatching(/faults\[0\] was triggered 10001 times/) },
  })
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

test('restarts one gateway node, and rejects unknown ones', async () => {
  const { call } = createTestBed()
  expect((await call({ url: '/gateway/restart', body: { node: 1 } })).body).toEqual({ closed: 1 })
  for (const node of [0, 2]) {
    const { status, body } = await call({ url: '/gateway/restart', body: { node } })
    expect([status, body.code]).toEqual([404, 'node_unknown'])
    expect(body.error).toContain('expected a node from 1 to 1')
  }
})

test('closes one socket, with 1012 or the requested code', async () => {
  const { call, closes } = createTestBed()
  const unknown = await call({ url: '/sockets/close', body: { id: 2 } })
  expect([unknown.status, unknown.body.code]).toEqual([404, 'socket_unknown'])
  expect(unknown.body.error).toBe('the socket does not exist: no socket 2; expected 1')
  expect((await call({ url: '/sockets/close', body: { id: 1 } })).status).toBe(200)
  expect((await call({ url: '/sockets/close', body: { id: 1 } })).body.error).toContain('no socket is open')
  const other = createTestBed()
  await other.call({ url: '/sockets/close', body: { id: 1, code: 4000 } })
  const reason = 'closed by the control API'
  expect([closes, other.closes]).toEqual([[{ code: 1012, reason }], [{ code: 4000, reason }]])
})

test('resets to the start', async () => {
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

test('records changes in the journal, but not reads', async () => {
  const { call, journal } = createTestBed()
  journal.record({ kind: 'socket', socket: 7, event: 'closed', closeCode: 1012 })
  await call({ method: 'GET', url: '/status' })
  await call({ url: '/mine', body: { blocks: 1 } })
  await call({ url: '/mine', body: { blocks: 0 } })
  await call({ url: '/mine', headers: { authorization: 'Bearer wrong' } })
  await call({ url: '/nowhere', body: { some: 'thing' } })
  const { entries, last, refused } = (await call({ method: 'GET', url: '/journal' })).body
  const post = { kind: 'control', method: 'POST' }
  expect(entries).toMatchObject([
    { number: 1, kind: 'socket', socket: 7, event: 'closed', closeCode: 1012 },
    { number: 2, ...post, route: '/mine', status: 200, input: { blocks: 1 } },
    { number: 3, ...post, route: '/mine', status: 400, code: 'invalid_request' },
    { number: 4, ...post, route: null, status: 404, code: 'not_found' },
  ])
  // Anyone can send it: recording each would push out all other entries.
  expect([entries.length, last, refused]).toEqual([4, 4, 1])
  const page = (await call({ method: 'GET', url: '/journal?after=1&limit=2' })).body
  expect(page).toEqual({ entries: entries.slice(1, 3), last: 4, refused: 1 })
  const ofSockets = (await call({ method: 'GET', url: '/journal?kind=socket&limit=2' })).body
  expect(ofSockets).toEqual({ entries: entries.slice(0, 1), last: 4, refused: 1 })
})

test.each([
  'localhost',
  'LOCALHOST:8080',
  '127.0.0.1',
  '127.0.0.1:9000',
  '127.255.1.2:80',
  '[::1]',
  '[::1]:9000',
])('takes %s', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

test.each([
  undefined,
  '',
  'example.com',
  'localhost.example.com',
  'example.com:8080',
  '127.0.0.1.example.com',
  'xlocalhost',
  '128.0.0.1',
  '0.0.0.0',
  '10.0.0.1:80',
  '[::2]',
  'user@localhost',
  'localhost/path',
  'localhost?x',
  'localhost#example.com',
  'example.com#localhost',
  'local host',
  'localhost:port',
])('refuses %s', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})
