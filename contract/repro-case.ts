/** A case for `breakwater repro`: a bug from the field as data, and the scenario that reproduces it. */

import { z } from 'zod'
import { BreakwaterError } from './breakwater-error.ts'
import { CLIENT_RULES } from './client-rules.ts'
import type { Recognize } from './json-file.ts'
import { RULES, ruleById } from './rules.ts'
import { CHOICE_SET_NAMES } from './scenario-config.ts'
import { suggestNames } from './suggest-names.ts'

export const serverRule = z.string().refine((id) => ruleById(id)?.kind === 'server', {
  error: ({ input }) =>
    `no rule of the exchange is named ${JSON.stringify(input)}; ${suggestNames(
      input,
      RULES.map(({ id }) => id),
    )}`,
})

export const clientRule = z.string().refine((id) => CLIENT_RULES.some((rule) => rule.id === id), {
  error: ({ input }) =>
    `no client rule is named ${JSON.stringify(input)}; ${suggestNames(
      input,
      CLIENT_RULES.map(({ id }) => id),
    )}`,
})

/** The simulated world of a stub, and its choices (simulator/choices). */
export const stubWorldSchema = z.strictObject({
  world: z.string().min(1).default('tiny'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(7),
  choices: z.enum(CHOICE_SET_NAMES).default('default'),
})

export const reproCaseSchema = z.strictObject({
  $schema: z.string().optional(),
  title: z.string().min(1).max(100),
  /** The bug in the field, and the correct behavior of exchange and client, for `repro show`. */
  story: z.string().min(1).max(4000),
  /** Public threads that report it, `owner/name #number`. */
  threads: z.array(z.string()).default([]),
  /** A file of scenarios/repro, without `.k6.ts`; or, for a saved case, the rules whose probes run. */
  scenario: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  /** Ids of the server rules that the case judges. */
  rules: z.array(serverRule).min(1),
  /** Ids of the client rules that an incorrect client would violate. */
  clientRules: z.array(clientRule).default([]),
  /** The stub that the case runs against, unless `--target` names another exchange. */
  stub: stubWorldSchema
    .extend({
      mutant: z.string().optional(),
      /** `manual`: only the scenario moves time, and the timeline is the same byte for byte. */
      pace: z.enum(['manual', 'real']).default('manual'),
      rateLimit: z
        .strictObject({ burst: z.number(), perSecond: z.number(), per: z.enum(['credential', 'address']) })
        .optional(),
    })
    .prefault({}),
  /** The exchange that the case was saved from, if not a stub: it then runs only with `--target`. */
  target: z.strictObject({ name: z.string(), baseUrl: z.string() }).optional(),
  /** A plan of fixtures/faults (default: none). */
  faults: z.string().optional(),
  /** Parameters of the scenario, such as the number of tabs. */
  parameters: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  /** True if actors act concurrently: outcomes are then reproducible, the order in between is not. */
  races: z.boolean().default(false),
})

export type ReproCase = z.output<typeof reproCaseSchema>

type CaseKind = 'repro' | 'hunt' | 'explore'

const CASE_KINDS: Readonly<Record<CaseKind, { fields: readonly string[]; hint: (file: string) => string }>> =
  {
    repro: {
      fields: ['title', 'story', 'rules'],
      hint: (file) => `Run it with \`breakwater repro run ${file}\`, without --client.`,
    },
    hunt: {
      fields: ['finding', 'world', 'schedule'],
      hint: (file) => `Run it with your client: \`breakwater repro run ${file} --client COMMAND\`.`,
    },
    explore: {
      fields: ['finding', 'sequence'],
      hint: (file) => `Run it with \`breakwater explore --case ${file}\`.`,
    },
  }

/** Rejects cases of the other kinds, with the command that runs them, by the fields that only they have. */
export function rejectOtherCases(wanted: CaseKind): Recognize {
  return (content, file) => {
    if (typeof content !== 'object' || content === null) return
    for (const [kind, { fields, hint }] of Object.entries(CASE_KINDS)) {
      if (kind === wanted || !fields.every((field) => field in content)) continue
      throw new BreakwaterError(`${file}: is a case of \`${kind}\`, not of \`${wanted}\``, {
        hint: hint(file),
      })
    }
  }
}
