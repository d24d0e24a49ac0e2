import { expect, test } from 'vitest'
import type { Mutant } from '../../simulator/mutants/mutants.ts'
import { type MatrixRun, matrixSummary, matrixTable, runMatrix } from './mutant-matrix.ts'

const mutant = (name: string, rules: readonly string[]) => ({ name, breaks: '', rules }) as Mutant // as: a made-up name

const RUNS: MatrixRun[] = [
  { choices: 'default', mutant: mutant('served', ['paging.limit.rejects-101']) },
  { choices: 'alternative', mutant: mutant('missed', ['paging.limit.rejects-0']) },
  { choices: 'default', mutant: mutant('broken', ['paging.limit.accepts-1']) },
]

const REPORTED: Record<string, string[]> = {
  served: ['paging.limit.rejects-101'],
  missed: ['paging.limit.canonical'],
}

async function run(jobs: number) {
  const order: string[] = []
  const cells = await runMatrix({
    runs: RUNS,
    jobs,
    runMutant: async ({ mutant }) => {
      const reported = REPORTED[mutant.name]
      if (!reported) throw new Error('no report')
      const unexpected = reported.filter((rule) => !mutant.rules.includes(rule))
      const missed = mutant.rules.filter((rule) => !reported.includes(rule))
      const problem = missed.length === 0 ? undefined : `missed: ${missed.join(', ')}`
      return { reported, unexpected, missed, problem }
    },
    onCell: ({ mutant, problem }) => order.push(`${mutant.name} ${problem}`),
  })
  return { cells, order }
}

test.each([1, 2, 5])('runs everything once, %i in parallel, even if one run fails', async (jobs) => {
  const { order } = await run(jobs)
  expect(order.sort()).toEqual([
    'broken no report',
    'missed missed: paging.limit.rejects-0',
    'served undefined',
  ])
})

test('shows what each rule detected, missed and got wrong, and lists failed runs last', async () => {
  const { cells } = await run(1)
  const rows = matrixTable(cells).map((line) => line.split(/ {2,}/))
  expect(rows).toContainEqual(['paging.limit.rejects-101', 'served'])
  expect(rows).toContainEqual(['paging.limit.rejects-0', 'MISSED missed (alternative)'])
  expect(rows).toContainEqual(['paging.limit.canonical', 'WRONG missed (alternative)'])
  expect(rows.map(([rule]) => rule)).not.toContain('route.none.404')
  expect(matrixSummary(cells).split('\n')).toEqual([
    'FAILED  missed, alternative: missed: paging.limit.rejects-0',
    'FAILED  broken, default: no report',
    '3 runs, 2 failed: detected 1 of 3 (33.3 %), unexpected failures 1',
  ])
})
