import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { createSmallWorld, SMALL } from './test-small-world.ts'
import { loadWorld } from './world.ts'
import { readDump, VERSION, writeDump } from './world-dump.ts'
import { WorldError } from './world-error.ts'

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

test('says in its first line what it is and where it comes from', () => {
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
  ['JSON that is no object', Buffer.from('null\n'), 'dump_foreign'],
  ['one that tells no version', withHeader('"version":', '"revision":'), 'dump_foreign'],
  ['something else', Buffer.from([1, 10, 0, 0]), 'dump_foreign'],
  ['one of another version', withHeader(`"version":${VERSION}`, '"version":99'), 'dump_version'],
  ['one of another seed', withHeader('"seed":3', '"seed":4'), 'dump_damaged'],
  ['one of another Node', withHeader(`"node":"${process.version}"`, '"node":"v1.0.0"'), 'dump_damaged'],
  ['one without its sum', withHeader('"sha256"', '"sha512"'), 'dump_damaged'],
  ['one cut short', dump.subarray(0, -1), 'dump_damaged'],
  ['one grown longer', Buffer.concat([dump, Buffer.of(0)]), 'dump_damaged'],
  ['one with a bit changed', flipped(dump.length - 100), 'dump_damaged'],
])('refuses %s', (_name, bytes, code) => {
  expect(() => loadWorld({ dump: bytes, source: 'world.dump' })).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(/^world\.dump: expected /) }),
  )
})

test('names both versions', () => {
  expect(() => loadWorld({ dump: withHeader(`"version":${VERSION}`, '"version":99') })).toThrow(
    `the dump: expected a dump of version ${VERSION}, found version 99`,
  )
})

test('refuses one with any one bit changed', () => {
  const small = writeDump({ fixture: SMALL, seed: 3, accounts: [] }, serialize(new Map([['height', 7n]])))
  expect(readDump(small, 'it').state).toEqual(new Map([['height', 7n]]))
  for (let bit = 0; bit < small.length * 8; bit++) {
    const changed = Buffer.from(small)
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(() => readDump(changed, 'it'), `bit ${bit}`).toThrow(WorldError)
  }
})

test('says that another release of Node wrote a state that cannot be read', () => {
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
