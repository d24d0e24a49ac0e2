import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Block } from '../../simulator/chain/block.ts'
import { createSmallWorld } from '../../simulator/world/test-small-world.ts'
import { projectPath } from '../project.ts'
import { eventLines } from './chain-files.ts'

const swap = { id: 'at1a', sender: 'bw1a', kind: 'swap' as const }

test('a line for each event, with its position, and for each refusal', () => {
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

test('every event of a world can be read back, to the unit', () => {
  const { world, canonical } = createSmallWorld(1)
  world.mine(40)
  const events = canonical.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.events))
  const read = canonical.flatMap(eventLines).flatMap((line) => JSON.parse(line).event ?? [])
  expect(events.length).toBeGreaterThan(1000)
  expect(read).toHaveLength(events.length)
  for (const [place, event] of events.entries()) expect(likeIn(read[place], event)).toEqual(event)
})

/** Converts what was read to a bigint wherever the pattern has one. */
function likeIn(read: unknown, pattern: unknown): unknown {
  if (typeof pattern === 'bigint') return BigInt(String(read))
  if (Array.isArray(pattern)) return (read as unknown[]).map((item, place) => likeIn(item, pattern[place]))
  if (typeof pattern !== 'object' || pattern === null) return read
  const patterns = pattern as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(read as object).map(([name, value]) => [name, likeIn(value, patterns[name])]),
  )
}

test('docs/reference/formats.md names every event there is, and each of its fields', () => {
  const { world, canonical } = createSmallWorld(1)
  const [pool] = world.views.pools({ limit: 1, offset: 0 }).rows
  const pair = `${pool?.token0.id}/${pool?.token1.id}`
  world.changeConfig({ scope: 'pause', key: pool?.key ?? '' })
  for (const scope of ['pause', 'allowlist'] as const) world.changeConfig({ scope, key: pair })
  world.mine(60)
  const { pools } = world.state().chain
  for (const key of pools.keys()) world.changeConfig({ scope: 'protocol_fee', key: `${key}/4/4` })
  world.mine(10)
  const [{ administrator: sender }, amount] = [world, 2n ** 100n]
  for (const key of pools.keys())
    world.submit({
      kind: 'collectProtocol',
      sender,
      pool: key,
      recipient: sender,
      amount0Max: amount,
      amount1Max: amount,
    })
  world.mine(1)
  const events = canonical.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.events))
  const rows = readFileSync(projectPath('docs/reference/formats.md'), 'utf8').split('\n')
  const unnamed = events.flatMap(({ kind, ...event }) => {
    const row = rows.find((line) => line.startsWith(`| \`${kind}\` |`)) ?? ''
    return listFields(event)
      .filter((name) => !row.includes(`\`${name}\``))
      .map((name) => `${kind}: ${name}`)
  })
  expect([...new Set(unnamed)]).toEqual([])
  expect(new Set(events.map(({ kind }) => kind)).size).toBe(18)
})

function listFields(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listFields)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => [name, ...listFields(field)])
}
