import { spawnSync } from 'node:child_process'
import { projectPath } from '../../scripts/project.ts'
import { spread } from './measuring.ts'

const ROUNDS = 5
const WORLDS = [
  { name: 'calm', target: 'target 1.5 s' },
  { name: 'wide', target: 'target 8 s, 700 MB' },
]

/** Time to start a world with its history, in a separate process each, and its peak memory. */
export function benchStart({ print }: { print: (line: string) => void }): void {
  print(`medians of ${ROUNDS} processes (minimum to maximum):`)
  for (const { name, target } of WORLDS) {
    const rounds = Array.from({ length: ROUNDS }, () => startOnce(name))
    const seconds = spread(rounds.map(({ worldMs }) => worldMs / 1000))
    const megabytes = spread(rounds.map(({ peakMb }) => peakMb))
    print(`  ${name}: ${seconds} s, peak ${megabytes} MB (${target})`)
  }
}

// Loading the program does not count as time, but as memory.
const SCRIPT = `
  const { openWorld } = await import(${JSON.stringify(projectPath('tools/bench/open-world.ts'))})
  const startMs = performance.now()
  const world = openWorld(process.env.WORLD)
  const worldMs = performance.now() - startMs
  const peakMb = process.resourceUsage().maxRSS / 1024
  process.stdout.write(JSON.stringify({ worldMs, peakMb, height: world.views.head().height }))`

function startOnce(name: string): { worldMs: number; peakMb: number } {
  const child = spawnSync(
    process.execPath,
    ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', SCRIPT],
    {
      cwd: projectPath('.'),
      env: { ...process.env, WORLD: name },
      encoding: 'utf8',
    },
  )
  if (child.status !== 0) throw new Error(`the measured process failed: ${child.stderr}`)
  return JSON.parse(child.stdout)
}
