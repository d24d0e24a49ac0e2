/**
 * A fault plan: what goes wrong, where and when, as data. The same plan on the same stub, asked the same in the same order,
 * does the same.
 */
import { z } from 'zod'
import { FAULT_KINDS } from './fault-kinds.ts'
import { nearest } from './nearest.ts'
import { overlappingCloses } from './overlapping-closes.ts'
import { whenSchema } from './when.ts'

const FAULTS_MAX = 50

const names = FAULT_KINDS.map(({ name }) => name)

const faultSchema = z.discriminatedUnion(
  'fault',
  FAULT_KINDS.map(({ name, summary, options }) =>
    options.extend({ fault: z.literal(name).describe(summary), when: whenSchema }),
  ) as unknown as [FaultSchema, ...FaultSchema[]], // as: each is made right here, and there is one at least
  { error: ({ code, input }) => (code === 'invalid_union' ? meant(input) : undefined) },
)

type FaultSchema = z.ZodObject<{ fault: z.ZodLiteral<string>; when: typeof whenSchema }>

export const faultPlanSchema = z.strictObject({
  $schema: z.string().optional(),
  description: z.string().min(1).max(500).describe('What the plan is for'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .describe('Of all its chance'),
  faults: z
    .array(faultSchema)
    .min(1)
    .max(FAULTS_MAX)
    .superRefine(refuseOverlaps, {
      // Beside what else is wrong with them.
      when: ({ value }) => Array.isArray(value),
    })
    .describe('In the order in which they are asked; [faults.md](faults.md) has every kind'),
})

export type FaultPlan = z.output<typeof faultPlanSchema>
export type Fault = FaultPlan['faults'][number]

function refuseOverlaps(faults: readonly unknown[], { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void {
  for (const { place, other } of overlappingCloses(faults)) {
    const message = `closes the same sockets in the same span of time as faults[${other}]`
    addIssue({ code: 'custom', path: [place], message })
  }
}

function meant(input: unknown): string {
  const given = (input as { fault?: unknown } | null | undefined)?.fault
  return typeof given === 'string'
    ? `no fault is named ${JSON.stringify(given)}; the nearest are ${nearest(given, names, { count: 3 }).join(', ')}`
    : `expected one of ${names.join(', ')}`
}
