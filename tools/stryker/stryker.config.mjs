import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mutants of our own arithmetic and verdicts, against the tests next to them: `npm run nightly -- --only stryker`. */
export default {
  packageManager: 'npm',
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/stryker/vitest.config.ts', related: false },
  mutate: [
    'reports/statistics/*.ts',
    'reports/judge-slo.ts',
    'reports/series/tally.ts',
    'simulator/amm/*.ts',
    'scenarios/lib/verdict/*.ts',
    'scenarios/lib/probe/{confirm-errors,record-problems,retry-check,watch-errors}.ts',
    '!**/*.test.ts',
    '!**/test-*.ts',
  ],
  // Stryker rewrites a tsconfig with an API that TypeScript 7 lacks, so it must find none.
  tsconfigFile: 'none.json',
  coverageAnalysis: 'perTest',
  // Those would need a new process each.
  ignoreStatic: true,
  concurrency: 2,
  timeoutFactor: 2,
  thresholds: { high: 90, low: 80, break: 80 },
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { reportTests: false },
  jsonReporter: { fileName: 'runs/stryker.json' },
  // A copy of the sources must not be among them.
  tempDirName: join(tmpdir(), 'breakwater-stryker'),
  ignorePatterns: ['/runs', '/dist', '/dist-docs', '/docs'],
}
