import { fileURLToPath } from 'node:url'

/** A path of this project, wherever it is installed: `projectPath('k6')`. */
export function projectPath(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}
