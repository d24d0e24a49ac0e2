import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** The slowest files, in order: a slow file that starts last would keep one worker busy at the end. */
export const SLOW_FILES: readonly string[] = [
  'scripts/smoke/given-target.long.test.ts',
  'scripts/commands/capacity.long.test.ts',
  'scripts/commands/repro.long.test.ts',
  'tools/docs/at-length.long.test.ts',
  'tools/proxies/nginx.long.test.ts',
  'scripts/commands/run-client-kit.long.test.ts',
  'tools/fault-proxy/fault-runs.long.test.ts',
  'tools/proofs/capacity.long.test.ts',
  'scripts/smoke/secrets.long.test.ts',
  'tools/mutants/mutants.test.ts',
  'scripts/commands/load.long.test.ts',
  'scripts/compare/run-sides.long.test.ts',
  'tools/mutants/choices.long.test.ts',
]

/** Runs the slow files first, even in a fresh checkout without recorded durations. */
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
