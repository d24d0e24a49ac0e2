import type { Examples } from './examples.ts'
import type { CaseKind } from './fuzz-case.ts'
import { planCases } from './plan-cases.ts'
import { runCases } from './run-cases.ts'
import { serverCases } from './server-cases.ts'

/** Every command that reads what others wrote, each kind of case as often as its weight says. */
export function caseKinds(examples: Examples): readonly CaseKind[] {
  return [...runCases(examples), ...planCases(examples), ...serverCases(examples)]
}
