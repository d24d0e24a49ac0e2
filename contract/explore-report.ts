/** explore.json: what sequences of commands showed of an exchange. Other tools read it; `version` rises with breaking changes. */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'

const stepSchema = z.object({
  turn: z.int().nonnegative().describe('Commands of one turn were sent at the same time'),
  atMs: z
    .number()
    .describe('Time from the start of the sequence until the command was sent, on the clock of the target'),
  tookMs: z.number(),
  text: z.string(),
  status: z.string().describe('The outcome: a status, and what was observed'),
})

const findingSchema = z.object({
  rule: z.string(),
  command: z.string().describe('The command whose outcome no order of the model explains'),
  expected: z.string(),
  observed: z.string(),
  isConcurrent: z.boolean().describe('True if other commands were in progress at the same time'),
  confirmed: z
    .object({ times: z.int().nonnegative(), of: z.int().positive() })
    .describe('How many repetitions of the shortest sequence showed the violation'),
  path: z.int().positive().describe('Number of the sequence that found it'),
  length: z.int().positive().describe('Commands in the shortest sequence'),
  steps: z.array(stepSchema),
  file: z.string().describe('The file of the case; empty if it could not be saved'),
})

export const exploreReportSchema = z.object({
  version: z.literal(1),
  verdict: z
    .enum(['fail', 'inconclusive', 'pass'])
    .describe('inconclusive: not a single sequence could be judged, or the target stopped responding'),
  exitCode: z.literal([EXIT.ok, EXIT.failed, EXIT.inconclusive]),
  startedAt: z.iso.datetime(),
  breakwater: z.string().describe('Version of Breakwater'),
  specification: z.string().describe('Version of the specification'),
  command: z.string().describe('The command line that repeats the exploration'),
  target: z.string(),
  seed: z.int(),
  sequences: z.int().nonnegative(),
  commands: z
    .int()
    .nonnegative()
    .describe('All commands, including those that confirm and shrink a violation'),
  requests: z.int().nonnegative(),
  coverage: z
    .record(z.string(), z.int().nonnegative())
    .describe('Number of different outcomes of commands, pairs of commands, and states of the model'),
  notExplored: z
    .array(z.object({ command: z.string(), reason: z.string() }))
    .describe('Commands that need a choice or a wallet that the profile does not provide'),
  findings: z.array(findingSchema),
  unconfirmed: z
    .array(z.object({ rule: z.string(), path: z.int(), observed: z.string() }))
    .describe('Violations that did not appear again often enough, or for which no time was left: not judged'),
  unjudged: z.array(z.object({ path: z.int(), reason: z.string() })),
})

export type ExploreDocument = z.infer<typeof exploreReportSchema>

/** Returns the JSON Schema (draft 2020-12) of explore.json. */
export function exploreReportJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(exploreReportSchema)
}
