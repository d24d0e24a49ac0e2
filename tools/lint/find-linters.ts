import { access, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { findGo } from '../../scripts/k6/find-k6.ts'
import { runCommand } from '../../scripts/k6/run-command.ts'
import { openCache } from '../../scripts/make-folder.ts'
import { projectPath } from '../../scripts/project.ts'
import { pythonEnvironment } from '../clients/python-environment.ts'

const ACTIONLINT = 'v1.7.12'

export type Linters = { shellcheck: string; hadolint: string; actionlint: string }

/**
 * The pinned linters, from PyPI and a Go module: installed into the user's cache at first use (half a minute). Throws
 * BreakwaterError (environment) if anything is missing.
 */
export async function findLinters(options: {
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}): Promise<Linters> {
  const requirements = projectPath('tools/lint/requirements.txt')
  const programs = dirname(await pythonEnvironment({ ...options, requirements, imports: ['sys'] }))
  return {
    shellcheck: join(programs, 'shellcheck'),
    hadolint: join(programs, 'hadolint'),
    actionlint: await findActionlint(options),
  }
}

async function findActionlint({ env, onProgress }: Parameters<typeof findLinters>[0]): Promise<string> {
  const cacheDir = await openCache(env)
  const folder = join(cacheDir, `actionlint-${ACTIONLINT}`)
  const found = join(folder, 'actionlint')
  if (await isThere(found)) return found
  const go = await findGo({ env, cacheDir, onProgress, k6SourceDir: projectPath('k6') })
  onProgress(`building actionlint in ${folder}`)
  const temporary = await mkdtemp(`${folder}.`)
  try {
    const { exitCode, lines } = await runCommand(
      go.command,
      ['install', `github.com/rhysd/actionlint/cmd/actionlint@${ACTIONLINT}`],
      { env: { ...go.env, GOBIN: temporary, GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' } },
    )
    if (exitCode !== 0) {
      throw new BreakwaterError(`cannot build actionlint: ${lines.slice(-3).join('\n')}`, {
        exitCode: EXIT.environment,
      })
    }
    await rename(temporary, folder).catch(() => undefined) // another process may have been first
    return found
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
