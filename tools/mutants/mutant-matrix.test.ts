import { expect, test } from 'vitest'
import type { Mutant, MutantName } from '../../simulator/mutants/mutants.ts'
import { compareReported, matrixSummary, matrixTable, runMatrix } from './mutant-matrix.ts'
import type { Pool } from './pool-mutants.ts'

const mutant = (name: string, rules: readonly string[]): Mutant => ({
  name: name as MutantName, // as: a made-up name
  breaks: '',
  rules,
  sometimes: [],
  detectedBy: 'probes',
})

const SERVED = mutant('served', ['paging.limit.rejects-101'])
const MISSED = mutant('missed', ['paging.limit.rejects-0'])
const BROKEN = mutant('broken', ['paging.limit.accepts-1'])
const ALONE: Pool[] = [
  { choices: 'default', mutants: [SERVED] },
  { choices: 'alternative', mutants: [MISSED] },
  { choices: 'default', mutants: [BROKEN] },
]

const REPORTED: Record<string, string[]> = {
  served: ['paging.limit.rejects-101'],
  missed: ['paging.limit.canonical'],
}

async function run(
  jobs: number,
  { pools = ALONE, reports = REPORTED }: { pools?: Pool[]; reports?: Record<string, string[]> } = {},
) {
  const order: string[] = []
  const matrix = await runMatrix({
    pools,
    jobs,
    runMutant: async (mutant) => {
      const reported = reports[mutant.name]
      if (!reported) throw new Error('no report')
      const { missed, unexpected } = compareReported(reported, mutant)
      const problem = missed.length === 0 ? undefined : `missed: ${missed.join(', ')}`
      return { reported, unexpected, missed, problem }
    },
    onCell: ({ mutant, problem }) => order.push(`${mutant.name} ${problem}`),
  })
  return { matrix, order }
}

test.each([1, 2, 5])('runs everything once, %i in parallel, even if one run fails', async (jobs) => {
  const { order } = await run(jobs)
  expect(order.sort()).toEqual([
    'broken no report',
    'missed missed: paging.limit.rejects-0',
    'served undefined',
  ])
})

test.each([
  { what: 'reports all of its rules', pooled: ['rejects-101', 'rejects-0'], reports: {}, runs: 1, missed: 0 },
  { what: 'misses a rule', pooled: ['rejects-101'], reports: { missed: ['rejects-0'] }, runs: 2, missed: 0 },
  {
    what: 'misses a rule, alone as well',
    pooled: ['rejects-101'],
    reports: { missed: [] },
    runs: 2,
    missed: 1,
  },
  {
    what: 'reports an unexpected rule',
    pooled: ['rejects-101', 'rejects-0', 'canonical'],
    reports: { served: ['rejects-101'], missed: ['rejects-0'] },
    runs: 3,
    missed: 0,
  },
])('a pool that $what takes $runs runs', async ({ pooled, reports, runs, missed }) => {
  const named = Object.entries({ 'served+missed': pooled, ...reports }).map(([name, rules]) => [
    name,
    rules.map((rule) => `paging.limit.${rule}`),
  ])
  const { matrix, order } = await run(1, {
    pools: [{ choices: 'default', mutants: [SERVED, MISSED] }],
    reports: Object.fromEntries(named),
  })
  expect(order).toHaveLength(2)
  expect(matrix.runs).toBe(runs)
  expect(matrix.cells.flatMap((cell) => cell.missed)).toHaveLength(missed)
  expect(matrix.cells.flatMap((cell) => cell.unexpected)).toEqual([])
})

test('a rule that a mutant breaks only sometimes may be reported, and need not be', () => {
  const broken = { rules: ['always'], sometimes: ['sometimes'] }
  expect(compareReported(['always'], broken)).toEqual({ missed: [], unexpected: [] })
  expect(compareReported(['always', 'sometimes'], broken)).toEqual({ missed: [], unexpected: [] })
  expect(compareReported(['sometimes', 'never'], broken)).toEqual({
    missed: ['always'],
    unexpected: ['never'],
  })
})

test('shows what each rule detected, missed and got wrong, and lists failed runs last', async () => {
  const { matrix } = await run(1)
  const rows = matrixTable(matrix.cells).map((line) => line.split(/ {2,}/))
  expect(rows).toContainEqual(['paging.limit.rejects-101', 'served'])
  expect(rows).toContainEqual(['paging.limit.rejects-0', 'MISSED missed (alternative)'])
  expect(rows).toContainEqual(['paging.limit.canonical', 'WRONG missed (alternative)'])
  expect(rows.map(([rule]) => rule)).not.toContain('route.none.404')
  expect(matrixSummary(matrix).split('\n')).toEqual([
    'FAILED  missed, alternative: missed: paging.limit.rejects-0',
    'FAILED  broken, default: no report',
    '3 mutants in 3 runs, 2 failed: detected 1 of 3 (33.3 %), unexpected failures 1',
  ])
})
