import { serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { createSmallWorld, mintTo, SMALL, type SmallWorld, shown } from './test-small-world.ts'
import { loadWorld, type World } from './world.ts'
import { readDump, VERSION, writeDump } from './world-snapshots.ts'
import { WorldError } from './world-state.ts'

const NEXT_BLOCKS = 20

const actions = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 2500 }) }),
  fc.record({ kind: fc.constant('submit' as const), amount: fc.bigInt(1n, 1000n) }),
  fc.record({ kind: fc.constant('hold' as const), held: fc.boolean() }),
  fc.record({
    kind: fc.constant('lag' as const),
    lag: fc.constantFrom({ blocks: 0 }, { blocks: 2 }, { ms: 0 }, { ms: 1300 }),
  }),
  fc.record({
    kind: fc.constant('mining' as const),
    mining: fc.constantFrom(
      { mode: 'interval' as const, intervalMs: 500 },
      { mode: 'interval' as const, intervalMs: 300 },
      { mode: 'on-demand' as const },
      { mode: 'paused' as const },
    ),
  }),
  fc.record({ kind: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 6 }) }),
)
type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never

function perform(world: World, action: Action): void {
  if (action.kind === 'mine') world.mine(action.blocks)
  if (action.kind === 'advance') world.advance(action.ms)
  if (action.kind === 'submit') world.submit(mintTo(world, action.amount))
  if (action.kind === 'lag') world.setLag(action.lag)
  if (action.kind === 'mining') world.setMining(action.mining)
  if (action.kind === 'reorg') world.reorg(action.depth)
  if (action.kind === 'hold') {
    if (action.held) world.holdIndexer()
    else world.releaseIndexer()
  }
}

const runs = fc.record({
  seed: fc.nat(100),
  isRunning: fc.boolean(),
  before: fc.array(actions, { maxLength: 5 }),
  after: fc.array(actions, { maxLength: 5 }),
})

/** The future, by the clock and on demand: the blocks' hashes and the resulting state. */
function next(run: Pick<SmallWorld, 'world' | 'random' | 'hashes'>, after: readonly Action[]): object {
  const from = run.hashes.length
  for (const action of after) perform(run.world, action)
  run.world.advance(NEXT_BLOCKS * SMALL.blockIntervalMs)
  run.world.mine(NEXT_BLOCKS)
  return { hashes: run.hashes.slice(from), ...shown(run) }
}

test('snapshot then revert is the identity, over every query, the clock and the future', () => {
  fc.assert(
    fc.property(runs, ({ seed, isRunning, before, after }) => {
      const run = createSmallWorld(seed)
      if (isRunning) run.world.start()
      for (const action of before) perform(run.world, action)
      const stood = shown(run)
      const id = run.world.snapshot()
      const came = next(run, after)
      for (let round = 0; round < 2; round++) {
        run.world.revert(id)
        expect(shown(run)).toEqual(stood)
        expect(next(run, after)).toEqual(came)
      }
    }),
    { seed: 7, numRuns: IN_FULL ? 8 : 3 },
  )
})

test('dump then load is the identity, over every query, the clock and the future', () => {
  fc.assert(
    fc.property(runs, ({ seed, isRunning, before, after }) => {
      const run = createSmallWorld(seed)
      if (isRunning) run.world.start()
      for (const action of before) perform(run.world, action)
      const hashes: string[] = []
      const dump = run.world.dump()
      const loaded = { ...loadWorld({ dump, onMined: ({ hash }) => hashes.push(hash) }), hashes }
      expect(shown(loaded)).toEqual(shown(run))
      if (isRunning) loaded.world.start()
      expect(next(loaded, after)).toEqual(next(run, after))
    }),
    { seed: 8, numRuns: IN_FULL ? 6 : 2 },
  )
})

test('starting over is the identity too, whatever happened before, and drops all snapshots', () => {
  fc.assert(
    fc.property(runs, ({ seed, isRunning, before, after }) => {
      const run = createSmallWorld(seed)
      let part = 1
      run.world.include({
        name: 'part',
        save: () => part,
        restore: (saved) => {
          part = saved
        },
      })
      const context = run.world.saveContext()
      const stood = shown(run)
      const start = () => {
        if (isRunning) run.world.start()
        return next(run, after)
      }
      const came = start()
      const id = run.world.snapshot()
      for (let round = 0; round < 2; round++) {
        part++
        for (const action of before) perform(run.world, action)
        run.world.stop()
        run.world.startOver(createSmallWorld(seed).world, context)
        expect([shown(run), part]).toEqual([stood, 1])
        expect(start()).toEqual(came)
      }
      expect(() => run.world.revert(id)).toThrow('no snapshots exist')
    }),
    { seed: 9, numRuns: IN_FULL ? 6 : 2 },
  )
})

test('after a revert the next block, and the next indexed, keep their due times', () => {
  const { world, canonical } = createSmallWorld(1)
  const startMs = world.clock.nowMs()
  const indexedAtMs: number[] = []
  world.onBlock(() => indexedAtMs.push(world.clock.nowMs() - startMs))
  world.setLag({ ms: 200 })
  world.start()
  world.advance(600)
  const id = world.snapshot()
  world.advance(450)
  world.mine(1)
  world.advance(300)
  world.revert(id)
  canonical.length = 32
  indexedAtMs.length = 0
  world.advance(900)
  expect(canonical.slice(32).map(({ timeMs }) => timeMs - startMs)).toEqual([1000, 1500])
  expect(indexedAtMs).toEqual([700, 1200])
})

test('a revert keeps its snapshot and drops those after it', () => {
  const { world } = createSmallWorld(1)
  const [first, second, third] = [world.snapshot(), world.snapshot(), world.snapshot()]
  expect(new Set([first, second, third]).size).toBe(3)
  world.revert(second)
  const { views } = world
  const { height } = views.head()
  world.mine(3)
  world.revert(second)
  expect(views.head().height).toBe(height)
  expect(() => world.revert(third)).toThrow(
    expect.objectContaining({
      code: 'snapshot_unknown',
      message: `no snapshot named "${third}": expected ${first} or ${second}`,
    }),
  )
  world.dropSnapshot(second)
  world.revert(first)
  world.dropSnapshot(first)
  expect(() => world.dropSnapshot(first)).toThrow(`no snapshot named "${first}": no snapshots exist`)
  expect(world.snapshot()).not.toBe(first)
})

test('keeps at most the maximum number of snapshots', () => {
  const { world } = createSmallWorld(1)
  const ids = Array.from({ length: 32 }, () => world.snapshot())
  expect(() => world.snapshot()).toThrow(expect.objectContaining({ code: 'snapshots_full' }))
  world.dropSnapshot(ids[5] ?? '')
  world.snapshot()
})

test('parts revert with the world, and load with it', () => {
  const { world } = createSmallWorld(1)
  const counter = {
    name: 'counter',
    count: 7n,
    save: () => counter.count,
    restore(count: bigint) {
      counter.count = count
    },
  }
  world.include(counter)
  const id = world.snapshot()
  const dump = world.dump()
  counter.count = 8n
  world.revert(id)
  expect(counter.count).toBe(7n)
  expect(() => world.include(counter)).toThrow('the part named counter is included already')

  const loaded = loadWorld({ dump }).world
  counter.count = 9n
  loaded.include(counter)
  expect(counter.count).toBe(7n)
})

const dump = createSmallWorld(3).world.dump()
const headerEnd = dump.indexOf('\n')
const withHeader = (from: string, to: string) => {
  const header = dump.subarray(0, headerEnd).toString()
  expect(header).toContain(from)
  return Buffer.concat([Buffer.from(header.replace(from, to)), dump.subarray(headerEnd)])
}
const flipped = (offset: number) => {
  const copy = Buffer.from(dump)
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset)
  return copy
}

test('its first line has the format and the origin', () => {
  const { sha256, ...header } = JSON.parse(dump.subarray(0, headerEnd).toString())
  expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(header).toMatchObject({
    format: 'breakwater-world',
    version: VERSION,
    node: process.version,
    seed: 3,
    accounts: ['bw1account'],
    fixture: { blockIntervalMs: 500 },
  })
})

test.each([
  ['nothing', Buffer.alloc(0), 'dump_foreign'],
  ['some JSON', Buffer.from('{"seed":3}\n'), 'dump_foreign'],
  ['JSON that is not an object', Buffer.from('null\n'), 'dump_foreign'],
  ['one without a version', withHeader('"version":', '"revision":'), 'dump_foreign'],
  ['something else', Buffer.from([1, 10, 0, 0]), 'dump_foreign'],
  ['one of another version', withHeader(`"version":${VERSION}`, '"version":99'), 'dump_version'],
  ['one of another seed', withHeader('"seed":3', '"seed":4'), 'dump_damaged'],
  ['one of another Node', withHeader(`"node":"${process.version}"`, '"node":"v1.0.0"'), 'dump_damaged'],
  ['one without its checksum', withHeader('"sha256"', '"sha512"'), 'dump_damaged'],
  ['one truncated', dump.subarray(0, -1), 'dump_damaged'],
  ['one grown longer', Buffer.concat([dump, Buffer.of(0)]), 'dump_damaged'],
  ['one with a bit changed', flipped(dump.length - 100), 'dump_damaged'],
])('refuses %s', (_name, bytes, code) => {
  expect(() => loadWorld({ dump: bytes, source: 'world.dump' })).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(/^world\.dump: (not a dump|expected) /) }),
  )
})

test('names both versions', () => {
  expect(() => loadWorld({ dump: withHeader(`"version":${VERSION}`, '"version":99') })).toThrow(
    `the dump: expected a dump of version ${VERSION}, found version 99`,
  )
})

test('rejects one with any one bit changed', () => {
  const small = writeDump({ fixture: SMALL, seed: 3, accounts: [] }, serialize(new Map([['height', 7n]])))
  expect(readDump(small, 'it').state).toEqual(new Map([['height', 7n]]))
  for (let bit = 0; bit < small.length * 8; bit++) {
    const changed = Buffer.from(small)
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(() => readDump(changed, 'it'), `bit ${bit}`).toThrow(WorldError)
  }
})

test('reports that another release of Node wrote a state that cannot be read', () => {
  const state = serialize({})
  // The second byte is the version of the format: 15 in Node 20.
  const later = Buffer.concat([state.subarray(0, 1), Buffer.of(99), state.subarray(2)])
  const unreadable = writeDump({ fixture: SMALL, seed: 3, accounts: [] }, later)
  expect(() => loadWorld({ dump: unreadable, source: 'world.dump' })).toThrow(
    expect.objectContaining({
      code: 'dump_version',
      message: `world.dump: expected a dump that Node ${process.version} can read, found one that Node ${process.version} wrote`,
    }),
  )
})
