/**
 * A finding: what one probe says of one rule. Scenarios write findings as JSON lines; the report folds them into verdicts.
 */
import { z } from 'zod'
import { matchesGlob } from './match-glob.ts'

export const VERDICTS = ['fail', 'inconclusive', 'pass', 'skipped'] as const

/** What a run would have to be given to judge a rule that it skipped, in the words of a summary: `9 need --include-slow`. */
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
  /** What the probe saw; empty where it saw nothing. */
  observed: z.string(),
  /** Requests, answers and frames that show it, secrets redacted. */
  evidence: z.array(z.string()),
  /** Why a verdict is inconclusive or skipped. */
  reason: z.string().optional(),
  /** Of a skipped rule: what would let it be judged, if that is known. */
  needs: needSchema.optional(),
  scenario: z.string(),
  /** Milliseconds since the epoch on the generator's clock. */
  at: z.number(),
})

/** Between the findings: what a probe waits for, for whoever watches. It decides nothing. */
export const waitingSchema = z.object({
  waiting: z.literal(1),
  rules: z.array(z.string()),
  /** Milliseconds since the epoch on the generator's clock. */
  untilMs: z.number(),
})

export type Verdict = (typeof VERDICTS)[number]
export type Finding = z.infer<typeof findingSchema>

/** Several findings on one rule: the weakest claim wins, so that nothing hides a failure or a doubt. */
export function weakestVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  return VERDICTS.find((verdict) => verdicts.includes(verdict))
}

/**
 * Waivers keep a check usable against a target with known faults: a failure of a waived rule is shown, and does not fail
 * the run. Each ends on a day, so that none is forgotten.
 */
export const waiverSchema = z.strictObject({
  /** A rule's id, or a glob: `*` stands for any text. */
  rule: z.string().min(1),
  reason: z.string().trim().min(1, 'expected the reason why the failure is put up with'),
  until: z.iso.date({ error: 'expected a day, such as 2027-01-31: the last on which it counts' }),
})

export const waiversSchema = z.array(waiverSchema)

export type Waiver = z.infer<typeof waiverSchema>

/** The waiver of a rule that counts on the day, in UTC; of several, the one that lasts longest. */
export function waiverOf(rule: string, waivers: readonly Waiver[], day: string): Waiver | null {
  const those = waivers.filter((one) => matchesGlob(one.rule, rule) && !hasEnded(one, day))
  return those.sort((a, b) => (a.until < b.until ? 1 : -1))[0] ?? null
}

/** Whether the waiver no longer holds on a day, `YYYY-MM-DD`; it holds on its last day. */
export function hasEnded({ until }: Waiver, day: string): boolean {
  return until < day
}
