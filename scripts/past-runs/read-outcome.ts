import { join } from 'node:path'
import { z } from 'zod'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { readRunFile } from '../../reports/run-file.ts'

export type Outcome = {
  /** Of the report, or of the comparison; null where there is none that can be read. */
  verdict: string | null
  /** Iterations a second. */
  capacity: number | null
}

const word = z.string().regex(/^[a-z][a-z -]{0,39}$/)
const outcomeSchema = z.object({
  verdict: word,
  capacity: z.object({ rate: z.number().nullable() }).nullable().default(null),
})

/** What came of a run, by the file that says so; not all of it is read again, and a file of another version may do. */
export async function readOutcome(dir: string, { job }: Pick<Run, 'job'>): Promise<Outcome> {
  const file = job === 'compare' ? RUN_FILES.comparisonJson : RUN_FILES.reportJson
  const parsed = outcomeSchema.safeParse(await readRunFile(join(dir, file)).then(parse, () => undefined))
  return parsed.success
    ? { verdict: parsed.data.verdict, capacity: parsed.data.capacity?.rate ?? null }
    : { verdict: null, capacity: null }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
