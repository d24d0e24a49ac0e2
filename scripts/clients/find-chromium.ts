import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Debian's names, then Google's. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export const CHROMIUM_REMEDY = 'Install it (Debian: chromium), or name a browser in BREAKWATER_CHROMIUM.'

/** The browser that BREAKWATER_CHROMIUM names, else the first on the PATH; undefined where there is none. */
export function findChromium({
  BREAKWATER_CHROMIUM: given,
  PATH = '',
}: NodeJS.ProcessEnv): string | undefined {
  if (given) return given
  const folders = PATH.split(delimiter).filter(isAbsolute)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
