import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mixSchema } from '../../contract/mix.ts'
import { projectPath } from '../../scripts/project.ts'
import { spread } from './measuring.ts'

const ROUNDS = 5

/**
 * Duration of a complete smoke run on its own stub, with k6 built. The clients of its mix come and go for some seconds, which no
 * faster code can shorten: the ratio is to that limit.
 */
export function benchSmoke({ print }: { print: (line: string) => void }): void {
  const mix = mixSchema.parse(JSON.parse(readFileSync(projectPath('fixtures/mixes/smoke.json'), 'utf8')))
  smokeSeconds([])
  const complete: number[] = []
  const withoutLoad: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    complete.push(smokeSeconds([]))
    withoutLoad.push(smokeSeconds(['--no-load']))
  }
  const ratios = complete.map((seconds) => seconds / mix.durationSeconds)
  print(`medians of ${ROUNDS} runs (minimum to maximum):`)
  print(
    `  smoke: ${spread(complete)} s (target 12 s), ${spread(ratios)} times the ${mix.durationSeconds} s of its mix`,
  )
  print(`  smoke --no-load: ${spread(withoutLoad)} s`)
}

function smokeSeconds(args: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-bench-'))
  try {
    const startMs = performance.now()
    const { status } = spawnSync(
      process.execPath,
      [projectPath('scripts/breakwater.mjs'), 'smoke', '--output', join(folder, 'run'), ...args],
      { cwd: folder, stdio: 'ignore' },
    )
    if (status !== 0) throw new Error(`smoke ${args.join(' ')} ended with ${status}`)
    return (performance.now() - startMs) / 1000
  } finally {
    rmSync(folder, { recursive: true })
  }
}
