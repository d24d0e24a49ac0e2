import { expect, test } from 'vitest'
import { noteBusyMachine } from './build-capacity.ts'
import { sampleCapacity, sampleTrial } from './sample-capacity.ts'

const trial = sampleTrial({ trial: 1, rate: 4, meanMs: 2, outcome: 'fail' })

test.each([
  { machineBusy: 0.999, outcome: 'fail', noted: true },
  { machineBusy: 0.999, outcome: 'pass', noted: true },
  { machineBusy: 0.949, outcome: 'pass', noted: false },
  { machineBusy: null, outcome: 'pass', noted: false },
  // Its reason is the machine, or what kept it busy.
  { machineBusy: 0.999, outcome: 'generator-limited', noted: false },
] as const)('a machine that was $machineBusy busy in a trial with the outcome $outcome: $noted', (given) => {
  const { machineBusy, outcome, noted } = given
  const generator = { ...trial.generator, machineBusy }
  expect(noteBusyMachine({ ...sampleCapacity(), trials: [{ ...trial, outcome, generator }] })).toEqual(
    noted
      ? [
          'The machine of the load generator was 99.9 % busy in trial 1: latencies may include delays of this machine.',
        ]
      : [],
  )
})

test('without a trial nothing is noted', () => {
  expect(noteBusyMachine(null)).toEqual([])
})
