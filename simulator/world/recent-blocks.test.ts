import { expect, test } from 'vitest'
import type { Block } from '../chain/block.ts'
import { createRecentBlocks } from './chain-node.ts'

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
