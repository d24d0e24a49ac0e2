import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite warns of each source map that a test dependency leaves out.
  logLevel: 'error',
  test: {
    include: ['**/*.test.ts'],
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
