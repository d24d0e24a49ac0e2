import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['**/*.test.ts'], retry: 0, testTimeout: 60_000, pool: 'forks', maxWorkers: 2 },
})
