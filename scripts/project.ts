import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Resolves a path in this project, wherever it is installed: `projectPath('k6')`. */
export function projectPath(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const VERSION = version
