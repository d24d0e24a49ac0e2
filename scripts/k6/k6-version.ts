import { runCommand } from './run-command.ts'

/** The version that a k6 binary tells of itself, `2.2.0`; `unknown` where it tells none. */
export async function k6Version(binary: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { lines } = await runCommand(binary, ['version'], { env })
  return /\bv(\d+\.\d+\.\d+)/.exec(lines[0] ?? '')?.[1] ?? 'unknown'
}
