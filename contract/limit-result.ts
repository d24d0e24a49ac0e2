import { z } from 'zod'
import { VERDICTS } from './finding.ts'

/** What a run says of a limit of the specification: a row of contract/limit-rules.ts. */
export const limitResultSchema = z.object({
  /** A figure of contract/limits.ts, or `rateLimit`. */
  id: z.string(),
  name: z.string(),
  appliesTo: z.string(),
  promised: z.string(),
  /** The weakest of its rules; skipped where the run was to judge none of them. */
  verdict: z.enum(VERDICTS),
  /** Of the rules that have that verdict. */
  observed: z.string(),
  reason: z.string().nullable(),
  /** The rules of the run that test it; `rules` of the report has what they found. */
  rules: z.array(z.string()),
  /** The command line that judges just this. */
  command: z.string(),
})

export type LimitResult = z.infer<typeof limitResultSchema>
