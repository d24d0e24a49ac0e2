// Real runs: chain, stub, k6, report. The whole table of mutants is `npm run nightly`.
import { expect, test } from 'vitest'
import { type MutantName, mutantByName } from '../../simulator/mutants.ts'
import { accuse } from './accuse.ts'

const SAMPLE: readonly MutantName[] = [
  'ws-33-rooms',
  'ws-300-frames',
  'paging-101-served',
  'auth-refresh-not-rotated',
  'route-4-hops',
]
const RUN_MS_MAX = 180_000

test('the stub as it is passes every rule, with nothing left open', { timeout: RUN_MS_MAX }, async () => {
  const { exitCode, report } = await accuse(null)
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(exitCode).toBe(0)
})

test.each(SAMPLE)('%s is found out, and nothing else is accused', { timeout: RUN_MS_MAX }, async (name) => {
  const mutant = mutantByName(name)
  const { exitCode, accused } = await accuse(mutant ?? null)
  expect(accused).toEqual(mutant?.rules)
  expect(exitCode).toBe(1)
})
