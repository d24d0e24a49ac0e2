import { MUTANTS } from '../../simulator/mutants/mutants.ts'
import type { Io } from '../io.ts'

/** `smoke --list-mutants`. */
export function listMutants({ json, io }: { json?: boolean; io: Io }): void {
  if (json) io.document(JSON.stringify(MUTANTS, null, 2))
  else for (const { name, breaks, rules } of MUTANTS) io.stdout(`${name}  ${breaks} (${rules.join(', ')})`)
}
