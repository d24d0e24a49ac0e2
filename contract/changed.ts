import { z } from 'zod'
import { VERDICTS } from './finding.ts'

const ruleIds = z.array(z.string())

/** What changed since the last earlier run of the same kind in the same folder. */
export const changedSchema = z.object({
  /** That run; null: there is none. */
  since: z
    .object({
      /** The name of its folder, beside that of the run. */
      folder: z.string(),
      startedAt: z.string(),
      verdict: z.string(),
    })
    .nullable(),
  /** Why there is none. */
  reason: z.string().nullable(),
  rules: z.object({
    /** Fail now, and did not then. */
    failing: ruleIds,
    /** Hold now, and failed or stayed open then. */
    held: ruleIds,
    /** Are inconclusive or skipped now, and were judged then. */
    open: ruleIds,
    /** Judged by one of the two runs alone. */
    added: ruleIds,
    removed: ruleIds,
  }),
  /** Objectives whose verdict is another. */
  objectives: z.array(z.object({ objective: z.string(), was: z.enum(VERDICTS), is: z.enum(VERDICTS) })),
  /** What else is not as it was: versions, seed, options, a capacity that was found. */
  facts: z.array(z.object({ name: z.string(), was: z.string(), is: z.string() })),
  /** The p95 of both, where enough requests support it. One run beside one run shows no difference: `breakwater compare` does. */
  latency: z.array(z.object({ routeGroup: z.string(), wasMs: z.number(), isMs: z.number() })),
  /** Why latencies are not put side by side. */
  latencyReason: z.string().nullable(),
  /** The command line that compares the two. */
  compare: z.string().nullable(),
})

export type Changed = z.infer<typeof changedSchema>
