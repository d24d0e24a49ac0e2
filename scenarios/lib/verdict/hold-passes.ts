import type { Judge } from './judge.ts'

/** A judge whose passes wait for `release`, so that what is seen until then can still fail the rule: of each rule, the first word counts. */
export function holdPasses(judge: Judge): { held: Judge; release: () => void } {
  const passes: Parameters<Judge['pass']>[] = []
  const pass: Judge['pass'] = (...said) => void passes.push(said)
  return {
    held: {
      ...judge,
      pass,
      that: (rule, holds, ...said) => (holds ? pass(rule, ...said) : judge.fail(rule, ...said)),
    },
    release() {
      for (const said of passes) judge.pass(...said)
    },
  }
}
