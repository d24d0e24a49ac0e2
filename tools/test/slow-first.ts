import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** The files that take longest, in that order: what starts last must be short, or a worker waits for it at the end. */
export const SLOW_FILES: readonly string[] = [
  'scripts/smoke/given-target.test.ts',
  'scripts/commands/capacity.test.ts',
  'scripts/commands/repro.test.ts',
  'tools/docs/at-length.test.ts',
  'tools/proxies/nginx.test.ts',
  'scripts/commands/run-client-kit.test.ts',
  'tools/fault-proxy/spoiled-run.test.ts',
  'tools/proofs/capacity.test.ts',
  'scripts/smoke/secrets.test.ts',
  'tools/mutants/mutants.test.ts',
  'scripts/commands/load.test.ts',
  'scripts/compare/run-sides.test.ts',
  'tools/mutants/choices.test.ts',
  'simulator/world/worlds.test.ts',
]

/** Runs the slow files first, also in a fresh checkout, where vitest has no durations of earlier runs. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
      return at === -1 ? SLOW_FILES.length : at
    }
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}
