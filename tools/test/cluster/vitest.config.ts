import { defineConfig } from 'vitest/config'

/** Config of `npm run test:kubernetes`: one test at a time, since each waits for its own pods. */
export default defineConfig({
  logLevel: 'error',
  root: new URL('../../..', import.meta.url).pathname,
  test: {
    include: ['**/*.cluster.ts'],
    retry: 0,
    testTimeout: 900_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 1,
  },
})
