/** The folder of a case: where its command runs, and what must stay as it is around that. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { matchesGlob } from '../../contract/match-glob.ts'

export type CaseFolder = { root: string; cwd: string; home: string; tmp: string }

/** In a file beside the working directory: whoever prints or copies it has followed a link. */
export const SENTINEL_SECRET = 'sentinel-secret-4f1c9e'

/** Makes the folders, and a tree that nobody may touch. */
export function makeCaseFolder(root: string): CaseFolder {
  const folder = { root, cwd: join(root, 'cwd'), home: join(root, 'home'), tmp: join(root, 'tmp') }
  for (const dir of [folder.cwd, folder.home, folder.tmp, join(root, 'sentinel', 'inner')])
    mkdirSync(dir, { recursive: true })
  writeFileSync(join(root, 'sentinel', 'secret.txt'), SENTINEL_SECRET)
  writeFileSync(join(root, 'sentinel', 'run.json'), '{}')
  writeFileSync(join(root, 'sentinel', 'inner', 'file.txt'), 'a file')
  return folder
}

/** Everything in a folder by its path: kind, mode, and what it holds. Follows and opens nothing but files. */
export function snapshot(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, path))) {
      const inner = join(path, name)
      const stats = lstatSync(join(root, inner))
      found.set(inner, `${stats.mode.toString(8)} ${contentOf(join(root, inner), stats)}`)
      if (stats.isDirectory()) walk(inner)
    }
  }
  walk('')
  return found
}

function contentOf(path: string, stats: ReturnType<typeof lstatSync>): string {
  if (stats?.isSymbolicLink()) return readlinkSync(path)
  return stats?.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
}

/** Of other programs: tsx compiles this repository's TypeScript there, and any `go` counts how often it is called. */
const OTHERS = ['tmp/tsx-*', 'home/.config', 'home/.config/go*']

/** Paths that were made, changed or removed, except those that the command may write: globs below the working directory. */
export function strayChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  writes: readonly string[],
): string[] {
  const allowed = [...writes.map((path) => `cwd/${path}`), ...OTHERS]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .filter((path) => !allowed.some((glob) => glob === path || matchesGlob(glob, path)))
}

/** Files that were written and hold what stands in the sentinel's secret file. */
export function leakingFiles(
  root: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...after]
    .filter(([path, state]) => before.get(path) !== state && lstatSync(join(root, path)).isFile())
    .map(([path]) => path)
    .filter((path) => readFileSync(join(root, path)).includes(SENTINEL_SECRET))
}
