import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fault, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { type HuntWorld, huntWorldSchema } from './schedule.ts'
import { minimize, type Setup, shrinkSetup } from './shrink.ts'

const world: HuntWorld = huntWorldSchema.parse({ world: 'calm', seed: 3, durationMs: 64_000 })
const ENOUGH = 10_000

function parseFaults(...faults: object[]): readonly Fault[] {
  return faultPlanSchema.parse({ description: 'of a test', faults }).faults
}

/** Shrinks with this condition, and counts its calls. */
async function shrinkWhile(given: Setup, holds: (setup: Setup) => boolean, triesMax = ENOUGH) {
  let tries = 0
  const setup = await shrinkSetup(given, {
    triesMax,
    shrinksTime: true,
    reproduces: async (candidate) => {
      tries++
      return holds(candidate)
    },
  })
  return { setup, tries }
}

test('keeps only the fault, the decision, the strength and the world that are needed', async () => {
  const schedule = parseFaults(
    { fault: 'http-reset', when: { on: [1, 2] } },
    {
      fault: 'http-429',
      where: { routes: ['GET /swaps'] },
      limit: { mode: 'burst', lastsMs: 4000 },
      body: 'html',
      when: { on: [2, 5, 9], afterMs: 700 },
    },
    { fault: 'ws-close', when: { afterMs: 100 } },
  )
  const { setup } = await shrinkWhile({ schedule, world }, ({ schedule: left, world: { durationMs } }) =>
    left.some((fault) => {
      const { limit } = fault as { limit?: { lastsMs?: number } } // as: options of some fault
      return (limit?.lastsMs ?? 0) >= 900 && fault.when.on?.includes(5) === true && durationMs >= 10_000
    }),
  )
  expect(setup).toEqual({
    schedule: parseFaults({
      fault: 'http-429',
      where: { routes: ['GET /swaps'] },
      limit: { mode: 'burst', lastsMs: 1000 },
      when: { on: [5] },
    }),
    world: huntWorldSchema.parse({ durationMs: 16_000 }),
  })
})

test('a violation that needs no fault has an empty schedule', async () => {
  const schedule = parseFaults({ fault: 'http-reset' }, { fault: 'http-hang' })
  const { setup } = await shrinkWhile({ schedule, world }, () => true)
  expect(setup).toEqual({ schedule: [], world: huntWorldSchema.parse({ durationMs: 1000 }) })
})

test('stops at the limit of tries, with the best so far', async () => {
  const schedule = parseFaults({ fault: 'http-reset' }, { fault: 'http-hang' })
  const needsHang = ({ schedule: left }: Setup) => left.some(({ fault }) => fault === 'http-hang')
  const { setup, tries } = await shrinkWhile({ schedule, world }, needsHang, 2)
  expect(tries).toBe(2)
  expect(setup.schedule.map(({ fault }) => fault)).toEqual(['http-hang'])
})

test('no item can be removed from a minimum, and a minimum keeps what is needed', async () => {
  const items = fc.uniqueArray(fc.nat(30), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(items, fc.array(items, { maxLength: 3 }), async (given, alternatives) => {
      // Any of several subsets is enough, as if a violation had several causes.
      const subsets = alternatives.map((wanted) => wanted.filter((item) => given.includes(item)))
      const keeps = (left: readonly number[]) =>
        subsets.some((wanted) => wanted.every((item) => left.includes(item)))
      fc.pre(keeps(given))
      const kept = await minimize(given, async (left) => keeps(left))
      expect(keeps(kept)).toBe(true)
      for (const item of kept) expect(keeps(kept.filter((other) => other !== item))).toBe(false)
      expect(given.filter((item) => kept.includes(item))).toEqual(kept)
    }),
  )
})

test('every step reproduces, and the minimum is never larger', async () => {
  const on = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })
  const fault = fc.record({
    fault: fc.constantFrom('http-reset', 'http-hang', 'http-error', 'http-truncated'),
    when: fc.record({ on: on.map((matches) => matches.sort((a, b) => a - b)), afterMs: fc.nat(5000) }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 5 }), fc.nat(), async (faults, chosen) => {
      const schedule = parseFaults(...faults)
      const needed = schedule[chosen % schedule.length]
      const match = needed?.when.on?.[0]
      const holds = ({ schedule: left }: Setup) =>
        left.some(({ fault: name, when }) => name === needed?.fault && when.on?.includes(match ?? 0))
      const { setup } = await shrinkWhile({ schedule, world }, holds)
      expect(holds(setup)).toBe(true)
      expect(setup.schedule.map(({ when }) => when.on)).toEqual([[match]])
      expect(setup.schedule.map(({ when }) => when.afterMs)).toEqual([0])
    }),
  )
})
