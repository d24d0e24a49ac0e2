import { expect, test } from 'vitest'
import { FAULT_KINDS, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { createRandom } from '../simulator/random.ts'
import { generateSchedule } from './generate-schedule.ts'
import type { Schedule } from './schedule.ts'

const DURATION_MS = 60_000

function draw(
  options: Partial<Parameters<typeof generateSchedule>[0]> & { count: number; seed?: number },
): Schedule[] {
  const stream = createRandom(options.seed ?? 1).stream('test')
  return Array.from({ length: options.count }, () =>
    generateSchedule({
      stream,
      countSituation: () => 0,
      promising: [],
      vocabulary: { routes: ['GET /swaps', 'POST /auth/refresh'], rooms: ['trades:*'] },
      durationMs: DURATION_MS,
      ...options,
    }),
  )
}

test('the same seed draws the same schedules, another seed others', () => {
  expect(draw({ count: 20 })).toEqual(draw({ count: 20 }))
  expect(draw({ count: 20, seed: 2 })).not.toEqual(draw({ count: 20 }))
})

test('draws valid plans of every kind, with 1 to 9 faults that start before the end', () => {
  const schedules = draw({ count: 400 })
  for (const faults of schedules) {
    expect(faultPlanSchema.safeParse({ description: 'drawn', faults }).success).toBe(true)
    expect(faults.length).toBeGreaterThanOrEqual(1)
    expect(faults.length).toBeLessThanOrEqual(9)
    for (const { when } of faults) expect(when.afterMs).toBeLessThan(DURATION_MS)
  }
  const drawn = new Set(schedules.flat().map(({ fault }) => fault))
  expect([...drawn].sort()).toEqual(FAULT_KINDS.map(({ name }) => name).sort())
})

test('names only routes and rooms that the client uses', () => {
  const text = JSON.stringify(draw({ count: 200 }))
  const named = new Set([...text.matchAll(/"(?:routes|rooms)":\["([^"]*)"\]/g)].map(([, name]) => name))
  expect([...named].sort()).toEqual(['GET /swaps', 'POST /auth/refresh', 'trades:*'])
  const without = JSON.stringify(draw({ count: 200, vocabulary: { routes: [], rooms: [] } }))
  expect(without).not.toMatch(/"(routes|rooms)"/)
})

test('prefers kinds that came about rarely', () => {
  const faults = draw({ count: 200, countSituation: (name) => (name === 'ws-drop' ? 0 : 30) }).flat()
  const share = faults.filter(({ fault }) => fault === 'ws-drop').length / 200
  // Half of the schedules leave it out.
  expect(share).toBeGreaterThan(0.3)
  expect(share).toBeLessThan(0.6)
})

test('continues from promising schedules', () => {
  const [promising] = draw({ count: 1, seed: 9 })
  const schedules = draw({ count: 60, promising: [promising ?? []] })
  const continued = schedules.filter((faults) => faults.some((fault) => promising?.includes(fault)))
  expect(continued.length).toBeGreaterThan(5)
  expect(continued.length).toBeLessThan(40)
})
