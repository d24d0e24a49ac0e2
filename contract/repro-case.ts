/** A case that `breakwater repro` plays: a bug from the field as data, and the scenario that acts it out. */

import { z } from 'zod'
import { CLIENT_RULES } from './client-rules.ts'
import { ruleById } from './rules.ts'
import { CHOICE_SET_NAMES } from './scenario-config.ts'

const serverRule = z.string().refine((id) => ruleById(id)?.kind === 'server', {
  error: ({ input }) =>
    `${JSON.stringify(input)} is no rule of the exchange; \`breakwater smoke --list-rules\` lists them`,
})

const clientRule = z.string().refine((id) => CLIENT_RULES.some((rule) => rule.id === id), {
  error: ({ input }) => `${JSON.stringify(input)} is no rule of clients; docs/rules.md lists them`,
})

/** The sets of choices that the stub has (simulator/choices). */
export const choiceSetName = z.enum(CHOICE_SET_NAMES)

export const reproCaseSchema = z.strictObject({
  $schema: z.string().optional(),
  title: z.string().min(1).max(100),
  /** What went wrong in the field, and what a right exchange and a right client do, for `repro show`. */
  story: z.string().min(1).max(4000),
  /** Public threads that tell of it, `owner/name #number`. */
  threads: z.array(z.string()).default([]),
  /** A file of scenarios/repro, without `.k6.ts`; or the rules whose probes are played, for a case that was saved. */
  scenario: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  /** What the case judges of the target: ids of server rules. */
  rules: z.array(serverRule).min(1),
  /** What a wrong client would break in it: ids of client rules. */
  clientRules: z.array(clientRule).default([]),
  /** The stub that it is played against, unless `--target` names another exchange. */
  stub: z
    .strictObject({
      world: z.string().default('tiny'),
      seed: z
        .int()
        .min(0)
        .max(2 ** 32 - 1)
        .default(7),
      choices: choiceSetName.default('plain'),
      mutant: z.string().optional(),
      /** `manual`: time moves when the scenario moves it, and the timeline is the same byte for byte. */
      pace: z.enum(['manual', 'real']).default('manual'),
      rateLimit: z
        .strictObject({ burst: z.number(), perSecond: z.number(), per: z.enum(['credential', 'address']) })
        .optional(),
    })
    .prefault({}),
  /** The exchange that it was saved of, where that was no stub: it is played with `--target` alone. */
  target: z.strictObject({ name: z.string(), baseUrl: z.string() }).optional(),
  /** A name of fixtures/faults; none where it is left out. */
  faults: z.string().optional(),
  /** What the scenario reads, such as how many tabs. */
  parameters: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  /** Whether actors act at once: outcomes repeat then, not the order in between. */
  races: z.boolean().default(false),
})

export type ReproCase = z.output<typeof reproCaseSchema>
