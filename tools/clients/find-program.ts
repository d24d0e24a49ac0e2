import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The first of the names that may be run, in any folder of the PATH; undefined where there is none. */
export function findProgram(names: readonly string[], { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = PATH.split(delimiter).filter(isAbsolute)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
