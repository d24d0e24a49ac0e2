import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { runCommand } from '../../scripts/k6/run-command.ts'
import { openCache } from '../../scripts/make-folder.ts'
import { projectPath } from '../../scripts/project.ts'

const OLDEST_PYTHON = '3.11'

const HINT = [
  `Install Python ${OLDEST_PYTHON} or later with venv (Debian: python3 and python3-venv),`,
  'or name one in BREAKWATER_PYTHON.',
].join(' ')

export type PythonEnvironmentOptions = {
  env: NodeJS.ProcessEnv
  requirements: string
  /** Modules that must be importable afterwards. */
  imports: readonly string[]
  /** Called before steps that take time. */
  onProgress: (line: string) => void
}

/**
 * A Python with the pinned packages: a venv in the cache folder, created at first use (some seconds) and again after a change of
 * Python or the pins. Throws BreakwaterError (environment) if anything is missing.
 */
export async function pythonEnvironment(options: PythonEnvironmentOptions): Promise<string> {
  const { env, requirements, imports, onProgress } = options
  const check = ['-c', `import ${imports.join(', ')}`]
  const python = env.BREAKWATER_PYTHON || 'python3'
  const requested = await runCommand(
    python,
    ['-c', 'import sys; print(sys.version.split()[0], sys.prefix)'],
    {
      env,
    },
  )
  const [version = '', prefix] = requested.lines.at(-1)?.split(' ') ?? []
  if (requested.exitCode !== 0 || !isAtLeast(version, OLDEST_PYTHON)) {
    const found = requested.exitCode === 0 ? `${python} is ${version}` : `${python} was not found`
    throw failure(`Python ${OLDEST_PYTHON} or later is missing: ${found}`)
  }

  const pins = await readFile(requirements, 'utf8')
  const hash = createHash('sha256').update(`${version} ${prefix}\n${pins}`).digest('hex').slice(0, 16)
  const cacheDir = await openCache(env)
  const folder = join(cacheDir, `python-${hash}`)
  const ready = join(folder, 'bin', 'python')
  if ((await runCommand(ready, check, { env })).exitCode === 0) return ready

  onProgress(`installing Python packages in ${folder}`)
  // Renamed when complete, so that no other process sees a partial one.
  const temporary = await mkdtemp(`${folder}.`)
  try {
    await runOrThrow(python, ['-m', 'venv', temporary], env)
    await runOrThrow(join(temporary, 'bin', 'python'), [...PIP_INSTALL, requirements], env)
    await rm(folder, { recursive: true, force: true }) // if broken
    await rename(temporary, folder).catch(() => undefined) // another process may have been first
    await runOrThrow(ready, check, env)
    return ready
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

const PIP_INSTALL = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--disable-pip-version-check',
  '--no-deps',
  // Only known wheels: building a source package runs its code.
  '--require-hashes',
  '--only-binary=:all:',
  '--requirement',
]

async function runOrThrow(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { exitCode, lines } = await runCommand(command, args, { env })
  if (exitCode === 0) return
  const line = `${command} ${args.slice(0, 2).join(' ')} exited with ${exitCode}.`
  throw failure([`cannot install the Python packages: ${line}`, ...lines.slice(-5)].join('\n'))
}

function failure(message: string): BreakwaterError {
  return new BreakwaterError(message, { hint: HINT, exitCode: EXIT.environment })
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}

export const BOT_FOLDER = projectPath('examples/clients/python')

export function botPython(options: {
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}): Promise<string> {
  const requirements = `${BOT_FOLDER}/requirements.txt`
  return pythonEnvironment({ ...options, requirements, imports: ['httpx', 'websockets', 'cryptography'] })
}

export function schemathesisPython(options: {
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}): Promise<string> {
  const requirements = projectPath('tools/schemathesis/requirements.txt')
  return pythonEnvironment({ ...options, requirements, imports: ['schemathesis'] })
}
