import { expect, test } from 'vitest'
import { scaleStages, stageTrials } from './stages.ts'

const SPIKE = {
  name: 'spike',
  description: 'of a test',
  stages: [
    { seconds: 30, rate: 50 },
    { seconds: 3, rate: 250 },
    { seconds: 20, rate: 250 },
  ],
}

test('each stage becomes a trial, with the start of its ramp', () => {
  expect(stageTrials(SPIKE)).toEqual([
    { phase: 'stage', rateFrom: null, rate: 50, seconds: 30 },
    { phase: 'stage', rateFrom: 50, rate: 250, seconds: 3 },
    { phase: 'stage', rateFrom: null, rate: 250, seconds: 20 },
  ])
})

test('the first stage starts at the rate of the profile, if it has one', () => {
  expect(stageTrials({ ...SPIKE, rateFrom: 10 })[0]).toMatchObject({ rateFrom: 10, rate: 50 })
  expect(stageTrials({ ...SPIKE, rateFrom: 50 })[0]).toMatchObject({ rateFrom: null, rate: 50 })
})

test('scales a profile by its highest rate', () => {
  const scaled = scaleStages({ ...SPIKE, rateFrom: 10 }, 1000)
  expect([scaled.rateFrom, ...scaled.stages.map(({ rate }) => rate)]).toEqual([40, 200, 1000, 1000])
  expect(scaled.stages.map(({ seconds }) => seconds)).toEqual([30, 3, 20])
  expect(scaleStages(SPIKE, 500)).not.toHaveProperty('rateFrom')
})
