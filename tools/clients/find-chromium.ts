import { findProgram } from './find-program.ts'

/** Debian's names, then Google's. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export const CHROMIUM_REMEDY = 'Install it (Debian: chromium), or name a browser in BREAKWATER_CHROMIUM.'

/** The browser that BREAKWATER_CHROMIUM names, else the first on the PATH; undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  return env.BREAKWATER_CHROMIUM || findProgram(NAMES, env)
}
