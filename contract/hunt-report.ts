/**
 * hunt.json: what a hunt found in a client, and which client rules it exercised. Other tools read it; `version` rises with breaking
 * changes.
 */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'
import { VERDICTS } from './finding.ts'
import { timelineLineSchema } from './run.ts'

const findingSchema = z.object({
  rule: z.string(),
  client: z.string().describe('`wallet N` of the stub, or a network address and a `User-Agent`'),
  observed: z.string(),
  advice: z.string(),
  schedule: z.int().nonnegative().describe('Number of the schedule that found it, from 0'),
  reproduced: z
    .object({ times: z.int().nonnegative(), of: z.int().positive() })
    .describe('How many of the confirming runs of the minimal schedule showed the violation'),
  faults: z.array(z.string()).describe('The minimal schedule in words, one text for each fault'),
  minimum: z
    .record(z.string(), z.unknown())
    .describe('The case, as in its file; hunt-case.schema.json is its schema'),
  file: z.string().describe('The file of the case; empty if it could not be saved'),
  timeline: z
    .array(timelineLineSchema)
    .describe(
      'What client and stub did in a run of the minimal schedule. `atMs` counts from the first entry of the run; lines that prove the violation have a `rule`',
    ),
})

export const huntReportSchema = z.object({
  version: z.literal(1),
  verdict: z
    .enum(['fail', 'inconclusive', 'pass'])
    .describe(
      'fail: a violation was found, or a case still reproduces; inconclusive: no violation, but some rules were never exercised',
    ),
  exitCode: z.literal([EXIT.ok, EXIT.failed]),
  startedAt: z.iso.datetime(),
  breakwater: z.string().describe('Version of Breakwater'),
  specification: z.string().describe('Version of the specification'),
  command: z.string().describe('The command line that repeats the hunt'),
  seed: z.int(),
  schedules: z.int().nonnegative(),
  runs: z.int().nonnegative().describe('All runs, including those that reduce and confirm a violation'),
  situations: z.int().nonnegative().describe('Number of different states and events in all runs (coverage)'),
  findings: z.array(findingSchema),
  duties: z.array(
    z.object({
      rule: z.string(),
      verdict: z.enum(VERDICTS).describe('skipped: no schedule exercised the rule'),
      exercised: z.int().nonnegative().describe('Number of schedules that exercised the rule'),
      violated: z.int().nonnegative().describe('Number of schedules in which the client violated the rule'),
    }),
  ),
  cases: z
    .array(z.object({ file: z.string(), rule: z.string(), observed: z.string(), reproduces: z.boolean() }))
    .describe('Cases of earlier hunts, which ran first'),
})

export type HuntDocument = z.infer<typeof huntReportSchema>

/** Returns the JSON Schema (draft 2020-12) of hunt.json. */
export function huntReportJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(huntReportSchema)
}
