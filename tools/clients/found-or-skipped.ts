/**
 * For tests that need what a machine may lack, with `test.runIf(found)`. Where it is undefined, says so loudly, and the
 * tests are skipped; where BREAKWATER_CLIENTS is `required`, as in CI, throws, and the test file fails.
 */
export function foundOrSkipped<Found>(
  found: Found | undefined,
  options: {
    /** What the tests need: `Chromium`. */
    what: string
    /** Why it is not there, and what to do about it. */
    remedy: string
    env: NodeJS.ProcessEnv
    tell: (text: string) => void
  },
): Found | undefined {
  const { what, remedy, env, tell } = options
  if (found !== undefined) return found
  if (env.BREAKWATER_CLIENTS === 'required') {
    throw new Error(`BREAKWATER_CLIENTS=required, but ${what} is not there. ${remedy}`)
  }
  tell(`\n!!! SKIPPED: tests that need ${what}, which is not there. ${remedy}\n`)
  return undefined
}
