import { mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { makeFolder } from '../make-folder.ts'
import { CACHE_HINT, type Go, REMEDIES } from './find-go.ts'
import { runCommand } from './run-command.ts'

export type BuildK6Options = {
  go: Go
  k6SourceDir: string
  /** Where the binary goes, in one step, so that two builds at once both end well and none is seen half done. */
  target: string
  onProgress: (line: string) => void
  signal?: AbortSignal | undefined
}

/** Builds k6. Throws a BreakwaterError (exit code 3) with the last lines of the build's output. */
export async function buildK6(options: BuildK6Options): Promise<void> {
  const { go, k6SourceDir, target, onProgress, signal } = options
  await makeFolder(dirname(target), { hint: CACHE_HINT })
  onProgress(`building k6 (about a minute the first time), kept in ${dirname(target)}`)
  const temporary = await mkdtemp(join(dirname(target), 'build-'))
  try {
    const built = join(temporary, 'k6')
    // Without -buildvcs=false a build fails in a checkout that git calls dubious.
    const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', built, '.']
    const run = await runCommand(go.command, args, {
      env: buildEnv(go),
      cwd: k6SourceDir,
      onLine: onProgress,
      signal,
    })
    if (run.exitCode !== 0) {
      throw new BreakwaterError(
        [`k6 could not be built: go build ended with exit code ${run.exitCode}.`, ...run.lines].join('\n'),
        { hint: REMEDIES, exitCode: EXIT.environment },
      )
    }
    await rename(built, target)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

// For this machine and this module, whatever the user's shell is set up to build.
function buildEnv({ env }: Go): NodeJS.ProcessEnv {
  return { ...env, CGO_ENABLED: '0', GOWORK: 'off', GOOS: undefined, GOARCH: undefined }
}
