import { expect, test } from 'vitest'
import { faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { describeSchedule } from './schedule.ts'

test('names the fault, its matches and its options', () => {
  const { faults } = faultPlanSchema.parse({
    description: 'of a test',
    faults: [
      {
        fault: 'http-429',
        where: { routes: ['GET /swaps', 'POST /*'] },
        limit: { mode: 'burst', lastsMs: 3722 },
        when: { on: [2, 3, 4, 7], afterMs: 28_500 },
      },
      {
        fault: 'refresh-window',
        latency: { distribution: 'uniform', minMs: 5, maxMs: 9 },
        when: { on: [{ match: 1, draw: 9 }] },
      },
      { fault: 'ws-handshake-reset', when: { afterBlocks: 3, forMs: 2000 } },
    ],
  })
  expect(describeSchedule(faults)).toEqual([
    'http-429 on match 2 to 4, 7 of GET /swaps, POST /*, after 28.5 s: mode burst, lastsMs 3722, per all, body json',
    'refresh-window on match 1: distribution uniform, minMs 5, maxMs 9',
    'ws-handshake-reset, after 3 blocks, for 2 s',
  ])
  expect(describeSchedule([])).toEqual(['no faults'])
})
