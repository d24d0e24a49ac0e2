import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { projectPath } from '../../scripts/project-path.ts'

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })

/** Files of the installed packages that run, `node_modules/zod/index.js`, as the lock has them: without those of development. */
export function runtimePackageFiles(): string[] {
  const lock = lockSchema.parse(JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')))
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  // Of packages for other platforms only the lock knows.
  return packages.flatMap(([path]) => (existsSync(projectPath(path)) ? filesBelow(path) : []))
}

/** All files, but for the packages within: each is in the lock itself. */
function filesBelow(path: string): string[] {
  return readdirSync(projectPath(path))
    .toSorted()
    .filter((name) => name !== 'node_modules')
    .map((name) => `${path}/${name}`)
    .flatMap((below) => (statSync(projectPath(below)).isDirectory() ? filesBelow(below) : [below]))
}
