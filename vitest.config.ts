import { createHash } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './tools/test/slow-first.ts'
import { treeOfCommit } from './tools/test/tree-sample.ts'

const treeSeed = createHash('sha256').update(treeOfCommit()).digest().readInt32BE()

export default defineConfig({
  // Vite warns of each source map that a test dependency leaves out.
  logLevel: 'error',
  test: {
    include: ['**/*.test.ts'],
    // Tests start the compiled command, and k6 with compiled scenarios.
    globalSetup: './scripts/build.mjs',
    setupFiles: './tools/test/properties-seed.ts',
    env: { BREAKWATER_PROPERTY_SEED: process.env.BREAKWATER_PROPERTY_SEED ?? String(treeSeed) },
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
  },
})
