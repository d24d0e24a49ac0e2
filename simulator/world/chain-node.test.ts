import { beforeEach, expect, test } from 'vitest'
import type { Block } from '../chain/block.ts'
import { addressFrom } from '../chain/identifiers.ts'
import { createTestWorld, type TestWorld } from '../exchange/test-world.ts'
import { createRecentBlocks } from './chain-node.ts'

const ALICE = addressFrom('alice')

let world: TestWorld

beforeEach(() => {
  world = createTestWorld()
})

const claim = () => world.node.submit({ kind: 'claimFaucet', sender: ALICE, recipient: ALICE })

test('finds a transaction under its announced id, before it is mined and after', () => {
  const [first, second] = [claim(), claim()]
  expect(second).not.toBe(first)
  expect(world.node.transaction(second)).toMatchObject({ status: 'pending', transaction: { sender: ALICE } })
  world.mine()
  const { height } = world.node.state()
  expect([first, second].map(world.node.transaction)).toMatchObject([
    { status: 'mined', block: { height }, index: 0, receipt: { refused: null } },
    { status: 'mined', block: { height }, index: 1, receipt: { refused: 'faucet-too-soon' } },
  ])
  expect(world.node.transaction('at1unknown')).toBeUndefined()
})

test('finds a block by height and by hash, including one from a reorg', () => {
  claim()
  world.mine(3)
  const { height } = world.node.state()
  const before = world.node.block(height - 1)
  expect(world.node.block(before?.hash ?? '')).toBe(before)
  world.reorg(3)
  expect(world.node.block(height)?.hash).toBe(world.node.state().hash)
  expect(world.node.block(height)?.parentHash).toBe(world.node.block(height - 1)?.hash)
  expect(world.node.block(before?.hash ?? '')).toBeUndefined()
  expect(world.node.block(height + 1)).toBeUndefined()
})

test('reverts with the world', () => {
  const id = world.snapshot()
  const transaction = claim()
  world.mine()
  const { height } = world.node.state()
  world.revert(id)
  expect(world.node.transaction(transaction)).toBeUndefined()
  expect(world.node.block(height)).toBeUndefined()
  expect(world.node.block(height - 1)?.hash).toBe(world.node.state().hash)
})

const buildBlock = (height: number, hash = `hash${height}`): Block => ({
  height,
  hash,
  parentHash: '',
  timeMs: 0,
  receipts: [],
})

test('keeps the newest blocks', () => {
  const blocks = createRecentBlocks({ countMax: 3 })
  for (let height = 0; height < 10; height++) blocks.add(buildBlock(height))
  expect(blocks.all().map(({ height }) => height)).toEqual([7, 8, 9])
})

test('a block replaces those of the reverted branch', () => {
  const blocks = createRecentBlocks({ countMax: 10 })
  for (let height = 0; height < 5; height++) blocks.add(buildBlock(height))
  blocks.add(buildBlock(3, 'other3'))
  expect(blocks.all().map(({ hash }) => hash)).toEqual(['hash0', 'hash1', 'hash2', 'other3'])
})
