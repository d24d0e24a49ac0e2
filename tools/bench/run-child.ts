import { spawnSync } from 'node:child_process'
import { projectPath } from '../../scripts/project.ts'

const PRINT_RSS = `
  process.stdout.write(String(process.resourceUsage().maxRSS))`

/** Runs a script, which must print nothing, in a process of its own: how long it took, the start of Node included, and its peak memory. */
export function runChild(script: string, env: Record<string, string>): { wallMs: number; rssMb: number } {
  const startMs = performance.now()
  const child = spawnSync(
    process.execPath,
    ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', script + PRINT_RSS],
    { cwd: projectPath('.'), env: { ...process.env, ...env }, encoding: 'utf8' },
  )
  if (child.status !== 0) throw new Error(`the measured process failed: ${child.stderr}`)
  return { wallMs: performance.now() - startMs, rssMb: Number(child.stdout) / 1024 }
}
