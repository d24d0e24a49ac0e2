import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutantByName } from '../../simulator/mutants/mutants.ts'
import { faultPlanNames } from '../given-files.ts'
import { projectPath } from '../project.ts'
import { caseNames, loadCase } from './load-case.ts'

const cases = await Promise.all(caseNames().map((name) => loadCase(name, projectPath('.'))))

test.each(cases)(
  '$name: its scenario, its faults and its mutant are there',
  ({ scenario, faults, stub, threads }) => {
    expect(existsSync(projectPath(`scenarios/repro/${scenario}.k6.ts`))).toBe(true)
    if (faults !== undefined) expect(faultPlanNames()).toContain(faults)
    if (stub.mutant !== undefined) expect(mutantByName(stub.mutant)).toBeDefined()
    for (const thread of threads) expect(thread).toMatch(/^[\w.-]+\/[\w.-]+ #\d+$/)
  },
)

test('each scenario belongs to a case', () => {
  const namedCase = new Set(cases.map(({ scenario }) => `${scenario}.k6.ts`))
  expect(
    readdirSync(projectPath('scenarios/repro')).filter(
      (file) => file.endsWith('.ts') && !namedCase.has(file),
    ),
  ).toEqual([])
})

test('the well-known cases exist', () => {
  expect(cases.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'refresh-race-two-tabs',
      'refresh-race-fifty',
      'refresh-loser-retries-too-early',
      'reconnect-1012-deploy',
      'reconnect-storm',
      'ticket-expires-mid-session',
      'renewal-other-principal',
      'missed-events-resync',
      'stale-route-after-revision',
      'revision-pending-loop',
      'rate-limit-burst',
      'rate-limit-two-clients-one-ip',
      'frame-limit-burst',
      'room-limit-churn',
      'slow-consumer',
      'page-while-list-grows',
      'faucet-double-claim',
    ]),
  )
})
