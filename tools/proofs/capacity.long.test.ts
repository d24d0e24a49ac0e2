import { expect, test } from 'vitest'
import type { Capacity } from '../../contract/capacity.ts'
import { generatorProblem, knownRateProblem, searchOnce } from './capacity.ts'

const SHORT = ['--trial-seconds', '2', '--max-duration', '30']
const TIMEOUT_MS = 180_000

// Whether it finds so much on a machine that has other things to do as well is not for a test to say: `npm run bench capacity`.
test(
  'no more is ever claimed than the target can serve',
  async () => {
    const { capacity } = await searchOnce({
      up: ['--service-rate', '120'],
      search: ['--from', '100', ...SHORT],
    })
    expect(capacity.trials.length).toBeGreaterThan(2)
    expect(capacity.atLeast ?? 0).toBeLessThanOrEqual(132)
    expect(capacity.brokeAt).not.toBeNull()
    expect(capacity.trials.some(({ outcome, rate }) => outcome === 'met' && rate > 132)).toBe(false)
  },
  TIMEOUT_MS,
)

test(
  'where the generator gives out first there is no capacity, only a rate that it is above',
  async () => {
    const few = ['--max-vus', '2', '--strict', ...SHORT]
    const ended = await searchOnce({ up: ['--faults', 'base-20ms'], search: ['--from', '50', ...few] })
    const { rate, limitedBy, statement } = ended.capacity
    expect([ended.exitCode, rate, limitedBy]).toEqual([4, null, 'generator'])
    expect(statement).toMatch(/^generator-limited, .*all 2 VUs were busy, at latencies within the limits/)
  },
  TIMEOUT_MS,
)

const FOUND = {
  rate: 380,
  limitedBy: 'target',
  statement: '380 iterations/s, sustained for 20 s',
} as Capacity // as: what the proof looks at
const LIMITED = {
  rate: null,
  limitedBy: 'generator',
  statement: 'generator-limited, at least 70 iterations/s; at 80: …',
} as Capacity // as: likewise

test.each([
  ['a rate within a tenth', { exitCode: 0, capacity: FOUND }, undefined],
  [
    'another rate',
    { exitCode: 0, capacity: { ...FOUND, rate: 359 } },
    'found 359; expected 400, give or take a tenth',
  ],
  ['none', { exitCode: 0, capacity: LIMITED }, 'found null; expected 400, give or take a tenth'],
  ['another exit code', { exitCode: 1, capacity: FOUND }, 'exit code 1; expected 0'],
  [
    'another limit',
    { exitCode: 0, capacity: { ...FOUND, limitedBy: 'slo' as const } },
    'limited by slo; expected: by the target',
  ],
])('the proof of a known rate: %s', (_, ended, problem) => {
  expect(knownRateProblem({ ...ended, seconds: 1 }, 400)).toBe(problem)
})

test.each([
  ['as it must be', { exitCode: 0, capacity: LIMITED }, undefined],
  [
    'a rate that was found',
    { exitCode: 0, capacity: FOUND },
    'limited by target; expected: by the generator',
  ],
  ['a rate beside it', { exitCode: 0, capacity: { ...LIMITED, rate: 70 } }, 'found 70; expected no rate'],
  ['another exit code', { exitCode: 4, capacity: LIMITED }, 'exit code 4; expected 0'],
  [
    'nothing known',
    { exitCode: 0, capacity: { ...LIMITED, statement: 'generator-limited, no result for the target' } },
    'told as: generator-limited, no result for the target',
  ],
])('the proof of a generator that is limited: %s', (_, ended, problem) => {
  expect(generatorProblem({ ...ended, seconds: 1 })).toBe(problem)
})
