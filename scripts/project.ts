import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A path of this project, wherever it is installed: `projectPath('k6')`. */
export function projectPath(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** Of the package. */
export const VERSION = version
