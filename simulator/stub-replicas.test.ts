// Real sockets: reads from replicas, and reads that always come from the primary.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { authenticatedFeed, control, get, start } from './test-started-stub.ts'

const BLOCK_MS = 500
const READS = 40
const DEPLOYMENT = { replicas: 3, replicaLagMs: 6 * BLOCK_MS }

const stateSchema = z.object({ data: z.object({ revision: z.int(), observed_block: z.int() }) })
const statsSchema = z.object({ observed_block: z.int() })

test('public reads step back and forth; reads with a credential or a minimum revision never do', async () => {
  const stub = await start({ deployment: DEPLOYMENT })
  await control(stub, '/mine', { blocks: 10 })
  stub.world.changeConfig({ scope: 'pause', key: 'all' })
  await control(stub, '/mine', { blocks: 1 })
  const { height } = stub.world.views.head()
  const { revision } = stub.world.views.protocolState()
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  const readStats = async () =>
    (await get({ stub, path: '/pools/stats?limit=1' }, statsSchema)).observed_block
  const behind = await Promise.all(Array.from({ length: READS }, async () => height - (await readStats())))
  expect([...new Set(behind)].sort()).toEqual([2, 4, 6])
  for (let read = 0; read < READS; read++) {
    const known = await get({ stub, path: '/pools/stats?limit=1', headers }, statsSchema)
    expect(known.observed_block).toBe(height)
    const current = await get({ stub, path: `/protocol/state?minimum_revision=${revision}` }, stateSchema)
    expect(current.data).toMatchObject({ revision, observed_block: height })
    const stale = await get({ stub, path: '/protocol/state' }, stateSchema)
    expect(stale.data.revision).toBeLessThan(revision)
  }
})

test('a reset and a revert restore replicas with the world', async () => {
  const stub = await start({ deployment: DEPLOYMENT })
  const blocks = async () => {
    const seen = new Set<number>()
    for (let read = 0; read < READS; read++)
      seen.add((await get({ stub, path: '/pools/stats?limit=1' }, statsSchema)).observed_block)
    return [...seen].sort()
  }
  const before = stub.world.views.head().height
  await control(stub, '/mine', { blocks: 10 })
  const expected = [before + 4, before + 6, before + 8]
  expect(await blocks()).toEqual(expected)
  const { snapshot } = z.object({ snapshot: z.string() }).parse(await control(stub, '/snapshot', {}))
  await control(stub, '/mine', { blocks: 20 })
  await control(stub, '/reorg', { depth: 3 })
  await control(stub, '/revert', { snapshot })
  expect(await blocks()).toEqual(expected)
  await control(stub, '/reset', {})
  // The history's last blocks are a minute apart: the newest is younger than any lag, and no replica shows it.
  expect(await blocks()).toEqual([before - 1])
  stub.world.advance(6 * BLOCK_MS)
  expect(Math.max(...(await blocks()))).toBeGreaterThan(before)
})

test('the feed is ahead of the replicas, which catch up', async () => {
  const stub = await start({ choices: 'replicated' })
  const feed = await authenticatedFeed(stub)
  feed.send({ action: 'subscribe', room: 'protocol_config' })
  await feed.synchronize()
  stub.world.stop()
  stub.world.advance(800)
  const before = stub.world.views.protocolState().revision
  stub.world.changeConfig({ scope: 'pause', key: 'all' })
  stub.world.mine()
  expect(await feed.next('ProtocolConfigChanged')).toMatchObject({ data: { revision: before + 1 } })
  const revision = async () => (await get({ stub, path: '/protocol/state' }, stateSchema)).data.revision
  for (let read = 0; read < 5; read++) expect(await revision()).toBe(before)
  stub.world.advance(800)
  for (let read = 0; read < 5; read++) expect(await revision()).toBe(before + 1)
})
