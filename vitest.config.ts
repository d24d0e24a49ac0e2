import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite warns of each source map that a test dependency leaves out.
  logLevel: 'error',
  test: {
    include: ['**/*.test.ts'],
    // Tests start the compiled command, and k6 with compiled scenarios.
    globalSetup: './scripts/build.mjs',
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
