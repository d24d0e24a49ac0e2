import { CannotJudge, CannotProbe, NotServed } from './cannot.ts'
import type { Judge } from './judge.ts'

/**
 * Judges one of several rules that are looked at side by side: what keeps this one from being judged keeps no other. The rule fails
 * where what it stands for is never served.
 */
export async function byItself(judge: Judge, rule: string, look: () => Promise<void>): Promise<void> {
  try {
    await look()
  } catch (error) {
    if (error instanceof CannotProbe) judge.skip(rule, error.message, error.needs)
    else if (error instanceof NotServed) judge.fail(rule, error.message, error.evidence)
    else if (error instanceof CannotJudge) judge.inconclusive(rule, error.message)
    else throw error
  }
}
