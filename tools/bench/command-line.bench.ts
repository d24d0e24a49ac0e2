import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { projectPath } from '../../scripts/project.ts'
import { spread } from './measuring.ts'

const ROUNDS = 21
const COMMANDS = [
  { args: ['--version'], target: 'target 0.15 s' },
  { args: ['--help'], target: 'target 0.15 s' },
  { args: ['smoke', '--list-rules'], target: 'target 0.3 s' },
]

/** Duration of commands that only print, alternating with an empty Node program. */
export function benchCommandLine({ print }: { print: (line: string) => void }): void {
  const bare: number[] = []
  const rounds = COMMANDS.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(measureSeconds(['--eval', '']))
    for (const [index, { args }] of COMMANDS.entries())
      rounds[index]?.push(measureSeconds([projectPath('scripts/breakwater.mjs'), ...args]))
  }
  print(`medians of ${ROUNDS} processes (minimum to maximum):`)
  print(`  node alone: ${spread(bare)} s`)
  for (const [index, { args, target }] of COMMANDS.entries()) {
    const seconds = rounds[index] ?? []
    const ratio = spread(seconds.map((one, round) => one / (bare[round] ?? Number.NaN)))
    print(
      `  breakwater ${args.join(' ')}: ${spread(seconds)} s (${target}), ${ratio} times the start of Node`,
    )
  }
}

function measureSeconds(args: readonly string[]): number {
  const startMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { cwd: tmpdir(), stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return (performance.now() - startMs) / 1000
}
