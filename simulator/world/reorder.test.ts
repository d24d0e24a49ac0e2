import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Transaction } from '../chain/transaction.ts'
import { createRandom } from '../random.ts'
import { reorder } from './miner.ts'
import type { MinedBlock } from './world-state.ts'

/** Distinguished by their swaps. */
const claims = (prefix: string, count: number): Transaction[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'claim',
    sender: 'bw1a',
    swapId: `${prefix}-${index}`,
  }))

const counts = fc.array(
  fc.record({ submitted: fc.constantFrom(0, 0, 2), drawn: fc.constantFrom(0, 0, 1, 6) }),
  { minLength: 1, maxLength: 8 },
)
const branches = counts.map((blocks) =>
  blocks.map(({ submitted, drawn }, place) => ({
    timeMs: place * 700,
    submitted: claims(`submitted-${place}`, submitted),
    drawn: claims(`drawn-${place}`, drawn),
  })),
)

test('leaves selected transactions in place', () => {
  const isKept = ({ swapId }: Transaction & { swapId?: string }) => swapId?.endsWith('-0') === true
  fc.assert(
    fc.property(branches, fc.nat(1000), (branch, seed) => {
      const { blocks } = reorder(branch, { stream: createRandom(seed).stream('test'), keeps: isKept })
      const kept = ({ submitted, drawn }: MinedBlock) => [submitted.filter(isKept), drawn.filter(isKept)]
      expect(blocks.map(kept)).toEqual(branch.map(kept))
    }),
    { seed: 6, numRuns: 100 },
  )
})

test('keeps every submitted transaction, at most the drawn ones, and every block’s time', () => {
  const seen = { late: 0, dropped: 0, left: 0, same: 0 }
  fc.assert(
    fc.property(branches, fc.nat(1000), (branch, seed) => {
      const { blocks, left } = reorder(branch, {
        stream: createRandom(seed).stream('test'),
        keeps: () => false,
      })
      const submitted = branch.flatMap((block) => block.submitted)
      const drawn = branch.flatMap((block) => block.drawn)
      const placed = blocks.flatMap((block) => block.drawn)
      expect(new Set([...blocks.flatMap((block) => block.submitted), ...left])).toEqual(new Set(submitted))
      expect(blocks.flatMap((block) => block.submitted).length + left.length).toBe(submitted.length)
      expect(new Set(placed).size).toBe(placed.length)
      for (const transaction of placed) expect(drawn).toContain(transaction)
      expect(blocks.map(({ timeMs }) => timeMs)).toEqual(branch.map(({ timeMs }) => timeMs))
      for (const [place, block] of blocks.entries())
        for (const transaction of [...block.submitted, ...block.drawn]) {
          const before = branch.findIndex(
            (made) => made.submitted.includes(transaction) || made.drawn.includes(transaction),
          )
          expect([place, place - 1]).toContain(before)
          if (before < place) seen.late++
        }
      seen.dropped += drawn.length - placed.length
      seen.left += left.length
      const isEmpty = submitted.length + drawn.length === 0
      if (isEmpty) seen.same++
      if (isEmpty) expect(blocks).toEqual(branch)
      else expect(blocks).not.toEqual(branch)
    }),
    { seed: 6, numRuns: 300 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5)
})
