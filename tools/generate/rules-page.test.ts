import { expect, test } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { FIELD_BUGS } from '../../contract/field-bugs.ts'
import { RULES } from '../../contract/rules.ts'
import { projectPath } from '../../scripts/project.ts'
import { caseNames, loadCase } from '../../scripts/repro/load-case.ts'
import { FAULT_KINDS } from '../../simulator/faults/fault-plan.ts'
import { MUTANTS } from '../../simulator/mutants/mutants.ts'

const THERE_ARE: Record<'cases' | 'faults' | 'rules' | 'mutants', readonly string[]> = {
  cases: caseNames(),
  faults: FAULT_KINDS.map(({ name }) => name),
  rules: [...RULES, ...CLIENT_RULES].map(({ id }) => id),
  mutants: MUTANTS.map(({ name }) => name),
}

test.each(Object.keys(THERE_ARE) as (keyof typeof THERE_ARE)[])('all %s exist', (kind) => {
  expect(FIELD_BUGS.flatMap((bug) => bug[kind]).filter((name) => !THERE_ARE[kind].includes(name))).toEqual([])
})

test.each(FIELD_BUGS)('$happened has a counterpart and a public thread', (bug) => {
  expect(bug.cases.length + bug.faults.length + bug.rules.length + bug.mutants.length).toBeGreaterThan(0)
  expect(bug.threads.filter((thread) => !/^[\w.-]+\/[\w.-]+ #\d+$/.test(thread))).toEqual([])
  expect(bug.threads).not.toEqual([])
})

test('each mutant of a row breaks a rule that a case of the row judges', async () => {
  for (const { cases, mutants } of FIELD_BUGS) {
    const judged = (
      await Promise.all(cases.map(async (name) => (await loadCase(name, projectPath('.'))).rules))
    ).flat()
    for (const mutant of MUTANTS.filter(({ name }) => mutants.includes(name)))
      expect(judged).toEqual(expect.arrayContaining([expect.toBeOneOf([...mutant.rules])]))
  }
})

test('the threads of the cases are those of the rows', async () => {
  const known = new Set(FIELD_BUGS.flatMap(({ threads }) => threads))
  for (const name of caseNames()) {
    const { threads } = await loadCase(name, projectPath('.'))
    expect(threads.filter((thread) => !known.has(thread))).toEqual([])
  }
})
