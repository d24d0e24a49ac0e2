import { RULES } from '../../contract/rules.ts'
import type { Io } from '../io.ts'

/** `smoke --list-rules`. */
export function listRules({ json, io }: { json?: boolean; io: Io }): void {
  if (json) io.document(JSON.stringify(RULES, null, 2))
  else for (const { id, statement } of RULES) io.stdout(`${id}  ${statement}`)
}
