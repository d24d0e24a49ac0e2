import type { Io } from '../io.ts'
import { readyK6 } from '../k6/ready-k6.ts'
import { projectPath } from '../project-path.ts'

/** What makes loads: k6 and its script. */
export type Generator = { k6: string; version: string; script: string }

/** Throws a BreakwaterError: environment if k6 cannot be had, interrupted if the user asks for the end meanwhile. */
export async function findGenerator(io: Io): Promise<Generator> {
  return { ...(await readyK6(io)), script: projectPath('dist/load.k6.js') }
}
