/** A violation that exploring found, as a file: the sequence, the target, and what was observed. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { INTERFACE_VERSION } from '../contract/limits.ts'
import { serverRule, stubWorldSchema } from '../contract/repro-case.ts'
import { createdLabel, type Sequence, sequenceSchema, usedLabels } from './sequence.ts'

export const exploreCaseSchema = z.strictObject({
  $schema: z.string().optional(),
  specification: z
    .literal(INTERFACE_VERSION, {
      error: ({ input }) =>
        `expected "${INTERFACE_VERSION}", the version of the specification that this Breakwater checks, got ${JSON.stringify(input)}; explore again to make a new case`,
    })
    .describe('Version of the specification that the case was found with'),
  finding: z
    .strictObject({
      rule: serverRule.describe('The violated rule'),
      command: z.string().min(1).max(500),
      expected: z.string().min(1).max(2000),
      observed: z.string().min(1).max(2000),
    })
    .describe('What a run of the sequence shows until it is fixed'),
  stub: stubWorldSchema
    .extend({ mutant: z.string().min(1).nullable().default(null) })
    .nullable()
    .describe('The stub that it was found with; null: another target, which --target must name'),
  target: z.string().min(1).max(500).describe('Name of the target'),
  seed: z.int().nonnegative(),
  path: z.int().positive().describe('Number of the sequence that found it'),
  sequence: sequenceSchema
    .min(1)
    .superRefine(requireLabels)
    .describe('Turns: lists of commands that are sent at the same time'),
})

export type ExploreCase = z.output<typeof exploreCaseSchema>

/** A command without what it uses is never sent: the violation would seem fixed. */
function requireLabels(sequence: Sequence, context: z.RefinementCtx): void {
  const known = new Set<string>()
  for (const [turn, commands] of sequence.entries()) {
    const created = commands.map(createdLabel).filter((label) => label !== undefined)
    for (const [place, command] of commands.entries())
      for (const label of usedLabels(command).filter((used) => !known.has(used)))
        context.addIssue({
          code: 'custom',
          path: [turn, place],
          message: `uses ${label}, which no earlier turn creates`,
        })
    for (const [place, label] of created.entries())
      if (known.has(label) || created.indexOf(label) !== place)
        context.addIssue({ code: 'custom', path: [turn], message: `creates ${label} a second time` })
    for (const label of created) known.add(label)
  }
}

/** Returns the JSON Schema (draft 2020-12) of a case file. */
export function exploreCaseJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(exploreCaseSchema, { io: 'input', reused: 'ref' })
}

/** The same for the same rule and sequence of commands: a later exploration replaces its file. */
export function nameCase({ finding: { rule }, sequence }: Pick<ExploreCase, 'finding' | 'sequence'>): string {
  const kinds = sequence.map((turn) => turn.map((command) => command.do).sort())
  const hash = createHash('sha256').update(JSON.stringify(kinds)).digest('hex').slice(0, 8)
  return `explore-${rule.replaceAll('.', '-')}-${hash}.json`
}
