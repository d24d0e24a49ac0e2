import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Block, blockText, NO_HASH, sealBlock } from './block.ts'
import { anyInteger, anyText, expectToTellApart } from './test-text.ts'

const anyReceipt = fc.record({
  id: anyText,
  sender: anyText,
  kind: fc.constantFrom('swap' as const, 'claim' as const),
  refused: fc.constantFrom(null, 'pool-unknown' as const, 'amm.LS' as const),
  events: fc.array(
    fc.record({ kind: fc.constant('tokenListed' as const), tokenId: anyText, listed: fc.boolean() }),
    { maxLength: 2 },
  ),
})

test('two blocks have one text where all that they hold is the same', () => {
  expectToTellApart(
    blockText,
    fc.record({
      height: anyInteger,
      parentHash: anyText,
      timeMs: anyInteger,
      receipts: fc.array(anyReceipt, { maxLength: 2 }),
    }),
  )
})

test('the hash of the event log runs on from block to block', () => {
  const block: Omit<Block, 'hash'> = { height: 0, parentHash: NO_HASH, timeMs: 0, receipts: [] }
  const first = sealBlock(block, NO_HASH)
  // sha256 of the text, and of the hash so far with it: worked out with coreutils' sha256sum.
  expect(first.block.hash).toBe('08ceb9bd6186c03001b5fe77c80736f08b1c324e171141c00d295650cc9553d5')
  expect(first.eventLogHash).toBe('a18ffe92f5588753de47f2326de4a6c5396eedf511cdf389220a189ea592cbe5')
  expect(sealBlock(block, first.eventLogHash).eventLogHash).not.toBe(first.eventLogHash)
})
