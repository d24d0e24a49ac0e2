/** A finding: one probe's verdict on one rule. Scenarios write findings as JSON lines; the report combines them into verdicts. */
import { z } from 'zod'
import { matchesGlob } from './match-glob.ts'

export const VERDICTS = ['fail', 'inconclusive', 'pass', 'skipped'] as const

/** The missing requirement of a skipped rule, in the words of a summary: `9 need --include-slow`. */
export const NEEDS = {
  slow: '--include-slow',
  control: 'a control API',
  wallets: 'more wallets',
  admin: 'an administrator wallet',
  token: 'an API token',
  choice: 'a choice of the profile',
  mutations: 'allow.mutations and --confirm',
  load: 'allow.load and --confirm',
} as const

export type Need = keyof typeof NEEDS

export const needSchema = z.enum(Object.keys(NEEDS) as [Need, ...Need[]]) // as: its keys are the needs

export const findingSchema = z.object({
  finding: z.literal(1),
  rule: z.string().min(1),
  verdict: z.enum(VERDICTS),
  expected: z.string(),
  /** The probe's observation; empty without one. */
  observed: z.string(),
  /** Requests, responses and frames that prove it, with secrets redacted. */
  evidence: z.array(z.string()),
  /** The reason for an inconclusive or skipped verdict. */
  reason: z.string().optional(),
  /** For a skipped rule: the requirement that was missing, if known. */
  needs: needSchema.optional(),
  scenario: z.string(),
  /** Milliseconds since the epoch on the generator's clock. */
  at: z.number(),
})

/** A progress line between findings: a probe is waiting. It does not affect verdicts. */
export const waitingSchema = z.object({
  waiting: z.literal(1),
  rules: z.array(z.string()),
  /** Milliseconds since the epoch on the generator's clock. */
  untilMs: z.number(),
})

export type Verdict = (typeof VERDICTS)[number]
export type Finding = z.infer<typeof findingSchema>

/** Combines several findings on one rule: the weakest verdict wins, so that no pass hides a failure or an inconclusive finding. */
export function weakestVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  return VERDICTS.find((verdict) => verdicts.includes(verdict))
}

/**
 * Waivers keep a check usable against a target with known failures: a failure of a waived rule is shown but does not fail the
 * run. Each waiver has an end date, so that it is not forgotten.
 */
export const waiverSchema = z.strictObject({
  /** A rule id, or a glob in which `*` matches any text. */
  rule: z.string().min(1),
  reason: z.string().trim().min(1, 'expected the reason for the waiver'),
  until: z.iso.date({ error: 'expected a day, such as 2027-01-31: the last on which it counts' }),
})

export const waiversSchema = z.array(waiverSchema)

export type Waiver = z.infer<typeof waiverSchema>

/** Returns the waiver of a rule that is valid on the day, in UTC; of several, the one that ends last. */
export function findWaiver(rule: string, waivers: readonly Waiver[], day: string): Waiver | null {
  const those = waivers.filter((one) => matchesGlob(one.rule, rule) && !hasEnded(one, day))
  return those.sort((a, b) => (a.until < b.until ? 1 : -1))[0] ?? null
}

/** Checks if the waiver has expired on a day, `YYYY-MM-DD`; it is still valid on its last day. */
export function hasEnded({ until }: Waiver, day: string): boolean {
  return until < day
}
