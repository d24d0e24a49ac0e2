import { expect, test } from 'vitest'
import type { Block } from '../../simulator/chain/block.ts'
import { createSmallWorld } from '../../simulator/test-small-world.ts'
import { eventLines } from './event-lines.ts'

const swap = { id: 'at1a', sender: 'bw1a', kind: 'swap' as const }

test('a line for each event, with where it stands, and for each refusal', () => {
  const block: Block = {
    height: 7,
    parentHash: '',
    timeMs: 1500,
    receipts: [
      { ...swap, refused: 'pair-paused', events: [] },
      {
        ...swap,
        id: 'at1"',
        refused: null,
        events: [
          { kind: 'balanceChanged', address: 'bw1a', tokenId: 't', delta: -(2n ** 100n), balance: 0n },
          { kind: 'positionFrozen', position: 'p', frozenAtMs: null },
        ],
      },
      { ...swap, kind: 'setFaucet', refused: null, events: [] },
    ],
    hash: '',
  }
  expect(eventLines(block)).toEqual([
    '{"block":7,"atMs":1500,"receipt":0,"transaction":"at1a","sender":"bw1a","kind":"swap","refused":"pair-paused"}',
    '{"block":7,"atMs":1500,"receipt":1,"transaction":"at1\\"","sender":"bw1a","kind":"swap","event":{"kind":"balanceChanged","address":"bw1a","tokenId":"t","delta":"-1267650600228229401496703205376","balance":"0"}}',
    '{"block":7,"atMs":1500,"receipt":1,"transaction":"at1\\"","sender":"bw1a","kind":"swap","event":{"kind":"positionFrozen","position":"p","frozenAtMs":null}}',
  ])
})

test('every event of a world is written as JSON.stringify would, its bigints as digits', () => {
  const { world, canonical } = createSmallWorld(1)
  world.mine(40)
  const digits = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  const expected = canonical.flatMap(({ receipts }) => receipts.flatMap(({ events }) => events))
  const written = canonical.flatMap(eventLines).flatMap((line) => JSON.parse(line).event ?? [])
  expect(expected.length).toBeGreaterThan(1000)
  expect(written.map((event) => JSON.stringify(event))).toEqual(
    expected.map((event) => JSON.stringify(event, digits)),
  )
})
