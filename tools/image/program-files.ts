import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { isExecutable } from '../../scripts/k6/find-k6.ts'
import type { TarEntry } from './tar-chunks.ts'

/** Loaded by name where an older C library looks up a host. */
const BESIDE_LIBC = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']

/**
 * A program of this machine, put at `at`, and the shared libraries that it asks for, at their own paths. Throws a BreakwaterError
 * (environment) where one is missing.
 */
export function programFiles({ from, at }: { from: string; at: string }): TarEntry[] {
  const libraries = librariesOf(from)
  const named = libraries
    .filter((path) => /\/libc\.so/.test(path))
    .flatMap((libc) => BESIDE_LIBC.map((name) => join(dirname(libc), name)))
  const all = [...libraries, ...named.filter((path) => existsSync(path))]
  return [{ from, at }, ...all.map((path) => ({ from: path, at: path.slice(1) }))].map((file) => ({
    path: file.at,
    mode: 0o755,
    kind: 'file',
    from: realpathSync(file.from),
  }))
}

/** The first file of that name on the PATH; undefined: there is none. */
export async function findProgram(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(':').filter((path) => path !== '')) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return undefined
}

// ldd ends with 1 for a static program.
function librariesOf(program: string): string[] {
  const { stdout, error } = spawnSync('ldd', [program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  const missing = /^\s*(\S+) => not found/m.exec(stdout ?? '')?.[1]
  if (error !== undefined || missing !== undefined) {
    throw new BreakwaterError(
      error === undefined
        ? `${program} asks for a shared library that is not here: ${missing}`
        : `what ${program} is linked with cannot be told: ${error.message}`,
      {
        hint: 'Make the image with the Dockerfile instead: docker build -t breakwater .',
        exitCode: EXIT.environment,
      },
    )
  }
  return [...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, path = '']) => path)
}
