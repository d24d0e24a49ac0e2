import { defineConfig } from 'vitest/config'

/** The tests of what Stryker mutates. */
export default defineConfig({
  logLevel: 'error',
  test: {
    include: [
      'reports/statistics/*.test.ts',
      'reports/{judge-slo*,is-hopeless,capacity-slo}.test.ts',
      'reports/series/{fold-series,tally}.test.ts',
      'simulator/amm/*.test.ts',
      'scenarios/lib/{probe,verdict}/*.test.ts',
    ],
    setupFiles: './tools/test/properties-seed.ts',
    // Each mutant runs them again.
    env: { BREAKWATER_PROPERTY_SEED: '1', BREAKWATER_PROPERTY_RUNS: '20' },
    testTimeout: 60_000,
    isolate: false,
    maxWorkers: 1,
  },
})
