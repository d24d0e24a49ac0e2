import { beforeAll, expect, test } from 'vitest'
import { caseKinds } from './case-kinds.ts'
import { makeExamples } from './examples.ts'
import { type CaseKind, drawCase } from './fuzz-case.ts'

let kinds: readonly CaseKind[]
beforeAll(async () => {
  kinds = caseKinds(await makeExamples())
})

test('a seed and a number determine a case, regardless of earlier draws', async () => {
  const first = [0, 1, 2, 3, 4].map((number) => drawCase(kinds, { seed: 7, number }))
  const again = caseKinds(await makeExamples())
  expect([4, 3, 2, 1, 0].map((number) => drawCase(again, { seed: 7, number })).reverse()).toEqual(first)
  expect(drawCase(kinds, { seed: 8, number: 0 })).not.toEqual(first[0])
})

test('draws every kind, some in a separate process, and no path outside the working directory', () => {
  const cases = Array.from({ length: 1500 }, (_, number) => drawCase(kinds, { seed: 1, number }))
  expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(kinds.map(({ name }) => name)))
  expect(cases.some(({ inProcess, needsK6 }) => inProcess && !needsK6)).toBe(true)
  const paths = cases.flatMap(({ entries }) => entries.map(({ path }) => path))
  expect(paths.filter((path) => path.startsWith('/') || path.split('/').includes('..'))).toEqual([])
  expect(cases.flatMap(({ argv }) => argv).filter((word) => word.includes('\0'))).toEqual([])
})
