/**
 * Waivers keep a check usable against a target with known faults: a failure of a waived rule is shown, and does not fail
 * the run. Each ends on a day, so that none is forgotten.
 */
import { z } from 'zod'
import { matchesGlob } from './match-glob.ts'

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
