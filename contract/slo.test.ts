import Ajv from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { getObjectiveKind, type ObjectiveKind, sloJsonSchema, sloSchema } from './slo.ts'
import { validate } from './validate.ts'

const VALID: Readonly<Record<ObjectiveKind, object>> = {
  latency: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 150 },
  errors: { routeGroup: '*', errorRateMax: 0 },
  'rate-limited': { routeGroup: '*', rateLimitedRateMax: 1 },
  dropped: { droppedRateMax: 0.01 },
  'feed-delay': { quantile: 0.99, feedDelayMsMax: 0.5 },
  synchronize: { quantile: 0.5, synchronizeMsMax: 2000 },
  recover: { quantile: 0.99, recoverMsMax: 10_000 },
}

const INVALID: readonly { what: string; objective: object; says: RegExp }[] = [
  {
    what: 'no limit',
    objective: { routeGroup: '*' },
    says: /^objectives\[0\]: expected an objective with a limit such as latencyMsMax; docs\/slo\.md lists all limits$/,
  },
  {
    what: 'a limit that is misspelt',
    objective: { routeGroup: '*', quantile: 0.5, latencyMax: 1 },
    says: /^objectives\[0\]\.latencyMsMax: missing; expected a number\nobjectives\[0\]\.latencyMax: unknown key; expected routeGroup, quantile, latencyMsMax or windowSeconds$/,
  },
  {
    what: 'two limits',
    objective: { routeGroup: '*', errorRateMax: 0.1, rateLimitedRateMax: 0.1, windowSeconds: 1 },
    says: /^objectives\[0\]: expected an objective with a limit/,
  },
  {
    what: 'a percentage for a share',
    objective: { routeGroup: '*', errorRateMax: 5 },
    says: /^objectives\[0\]\.errorRateMax: expected at most 1$/,
  },
  {
    what: 'a percentile for a quantile',
    objective: { quantile: 95, feedDelayMsMax: 200 },
    says: /^objectives\[0\]\.quantile: expected a number between 0 and 1, such as 0\.95$/,
  },
  {
    what: 'half a second for a window',
    objective: { droppedRateMax: 0.1, windowSeconds: 0.5 },
    says: /^objectives\[0\]\.windowSeconds: expected a whole number, found a number$/,
  },
  {
    what: 'a limit of nothing',
    objective: { quantile: 0.5, synchronizeMsMax: 0 },
    says: /^objectives\[0\]\.synchronizeMsMax: expected more than 0$/,
  },
]

const kinds = Object.entries(VALID) as [ObjectiveKind, object][] // as: the keys of VALID
const isValid = new Ajv.default({ strict: false }).compile(sloJsonSchema())

test.each(kinds)('%s, over the whole and by window', (kind, objective) => {
  for (const each of [objective, { ...objective, windowSeconds: 5 }]) {
    const file = { name: 'test', objectives: [each] }
    expect(sloSchema.parse(file)).toEqual(file)
    expect(isValid(file)).toBe(true)
    expect(sloSchema.parse(file).objectives.map(getObjectiveKind)).toEqual([kind])
  }
})

test.each(INVALID)('$what', ({ objective, says }) => {
  const file = { name: 'test', objectives: [objective] }
  expect(validate(sloSchema, file).problems?.join('\n')).toMatch(says)
  expect(isValid(file)).toBe(false)
})

test('a file without objectives would pass whatever happens', () => {
  expect(sloSchema.safeParse({ name: 'none', objectives: [] }).success).toBe(false)
})
