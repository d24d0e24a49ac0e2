import { expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import type { WorldState } from '../../simulator/world/world.ts'
import { createInvariantCheck, openWorld } from '../commands/chain.ts'

function tinyWorld(everyBlocks: number) {
  const check = createInvariantCheck({ everyBlocks })
  const source = { cwd: '.', world: 'tiny', seed: 7 }
  const { world } = openWorld(source, (block, state) => check.add(block, state))
  return { check, world }
}

function mintUnseen({ chain }: WorldState): void {
  for (const token of chain.tokens.values()) token.supply += 1n
}

test('checks at the interval, and after the last block', () => {
  const { check, world } = tinyWorld(100)
  world.mine(5)
  check.finish()
  expect(check.result()).toEqual({ invariants: 6, blocksChecked: 5 })
})

test('does not check the last block twice', () => {
  const { check } = tinyWorld(100)
  check.finish()
  expect(check.result().blocksChecked).toBe(4)
})

test.each([
  { when: 'on the way', everyBlocks: 1 },
  { when: 'at the end', everyBlocks: 1000 },
])('says which invariant does not hold, and after which block: $when', ({ everyBlocks }) => {
  const { check, world } = tinyWorld(everyBlocks)
  mintUnseen(world.state())
  const goOn = () => {
    world.mine()
    check.finish()
  }
  expect(goOn).toThrow(
    expect.objectContaining({
      exitCode: EXIT.failed,
      message: expect.stringMatching(
        /^after block 301, an invariant is violated:(\n {2}supplyConserved: .*){10}\n {2}and \d+ more$/,
      ),
    }),
  )
})
