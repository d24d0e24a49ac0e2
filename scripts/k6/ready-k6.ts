import { throwIfInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'
import { detail } from '../progress/detail.ts'
import { projectPath } from '../project-path.ts'
import { findK6 } from './find-k6.ts'
import { runCommand } from './run-command.ts'

/**
 * The path of k6 and its version. Throws a BreakwaterError: environment where k6 cannot be had, interrupted where the user asks
 * for the end meanwhile.
 */
export async function readyK6(io: Io): Promise<{ k6: string; version: string }> {
  const k6 = await findK6({
    env: io.env,
    k6SourceDir: projectPath('k6'),
    onProgress: io.tell,
    signal: io.interrupted,
  }).finally(() => throwIfInterrupted(io.interrupted))
  const version = await k6Version(k6, io.env)
  throwIfInterrupted(io.interrupted)
  detail(`k6 ${version}: ${k6}`)
  return { k6, version }
}

/** The version that a k6 binary tells of itself, `2.2.0`; `unknown` where it tells none. */
async function k6Version(binary: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { lines } = await runCommand(binary, ['version'], { env })
  return /\bv(\d+\.\d+\.\d+)/.exec(lines[0] ?? '')?.[1] ?? 'unknown'
}
