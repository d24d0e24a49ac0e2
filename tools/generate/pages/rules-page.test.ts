import { expect, test } from 'vitest'
import { CLIENT_RULES } from '../../../contract/client-rules.ts'
import { FIELD_BUGS } from '../../../contract/field-bugs.ts'
import { RULES } from '../../../contract/rules.ts'
import { projectPath } from '../../../scripts/project.ts'
import { caseNames, loadCase } from '../../../scripts/repro/load-case.ts'
import { FAULT_KINDS } from '../../../simulator/faults/fault-plan.ts'
import { listCaseMutants, MUTANTS_BY_CASE } from '../../../simulator/mutants/case-mutants.ts'

const THERE_ARE: Record<'cases' | 'faults' | 'rules', readonly string[]> = {
  cases: caseNames(),
  faults: FAULT_KINDS.map(({ name }) => name),
  rules: [...RULES, ...CLIENT_RULES].map(({ id }) => id),
}

test.each(Object.keys(THERE_ARE) as (keyof typeof THERE_ARE)[])('all %s exist', (kind) => {
  expect(FIELD_BUGS.flatMap((bug) => bug[kind]).filter((name) => !THERE_ARE[kind].includes(name))).toEqual([])
})

test.each(FIELD_BUGS)('$happened has a counterpart and a public thread', (bug) => {
  expect(bug.cases.length + bug.faults.length + bug.rules.length).toBeGreaterThan(0)
  expect(bug.threads.filter((thread) => !/^[\w.-]+\/[\w.-]+ #\d+$/.test(thread))).toEqual([])
  expect(bug.threads).not.toEqual([])
})

test('a case detects each mutant with its bug', async () => {
  for (const [name, mutants] of Object.entries(MUTANTS_BY_CASE)) {
    const detected = listCaseMutants(await loadCase(name, projectPath('.'))).map((mutant) => mutant.name)
    expect(detected).toEqual(expect.arrayContaining([...mutants]))
  }
})

test('the threads of the cases are those of the rows', async () => {
  const known = new Set(FIELD_BUGS.flatMap(({ threads }) => threads))
  for (const name of caseNames()) {
    const { threads } = await loadCase(name, projectPath('.'))
    expect(threads.filter((thread) => !known.has(thread))).toEqual([])
  }
})
