import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findGo, GO_ENVIRONMENT, goBuildArguments } from '../../scripts/k6/find-k6.ts'
import { openCache } from '../../scripts/make-folder.ts'
import { projectPath } from '../../scripts/project.ts'
import { inTurns, spread } from './measuring.ts'

const ROUNDS = 3
const PACKAGES = { ours: '.', plain: 'go.k6.io/k6/v2' }

/**
 * The build of our k6 without a compiler cache. Its limit is plain k6 of the same version and flags, which any k6 with extensions
 * contains. Modules are downloaded before, by the first round, which does not count.
 */
export async function benchK6Build({ print }: { print: (line: string) => void }): Promise<void> {
  const cacheDir = await openCache(process.env)
  const go = await findGo({ env: process.env, k6SourceDir: projectPath('k6'), cacheDir, onProgress: print })
  const rounds = await inTurns(['ours', 'plain'], {
    rounds: ROUNDS,
    measure: async (name) => build(go, PACKAGES[name]),
  })
  print(`medians of ${ROUNDS} builds each, in turns, without a compiler cache (minimum to maximum):`)
  for (const measure of ['seconds', 'cpuSeconds'] as const) {
    const what = measure === 'seconds' ? 'duration' : 'processor time'
    const ours = rounds.map((round) => round.ours[measure])
    const plain = rounds.map((round) => round.plain[measure])
    print(
      `  ${what}: ${spread(ours)} s, plain k6 ${spread(plain)} s, ratio ${spread(ours.map((each, round) => each / (plain[round] ?? Number.NaN)))}`,
    )
  }
}

function build(
  { command, env }: Awaited<ReturnType<typeof findGo>>,
  packagePath: string,
): { seconds: number; cpuSeconds: number } {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-bench-'))
  try {
    const startMs = performance.now()
    const child = spawnSync(
      'sh',
      ['-c', '"$@" && times', 'sh', command, ...goBuildArguments(join(folder, 'k6'), packagePath)],
      {
        cwd: projectPath('k6'),
        env: { ...env, ...GO_ENVIRONMENT, GOWORK: 'off', GOCACHE: join(folder, 'cache'), GOTMPDIR: folder },
        encoding: 'utf8',
      },
    )
    const seconds = (performance.now() - startMs) / 1000
    if (child.status !== 0) throw new Error(`the build of ${packagePath} failed: ${child.stderr}`)
    return { seconds, cpuSeconds: childSeconds(child.stdout) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The second line of the shell's `times` is about its children: `2m5.31s 0m9.44s`, user and system time. */
function childSeconds(times: string): number {
  const ofChildren = times.trim().split('\n').at(-1) ?? ''
  return [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (total, [, minutes, seconds]) => total + Number(minutes) * 60 + Number(seconds),
    0,
  )
}
