import { createHash } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './tools/test/slow-first.ts'
import { readCommitTree } from './tools/test/tree-sample.ts'

const treeSeed = createHash('sha256').update(readCommitTree()).digest().readInt32BE()

const ALL = '**/*.test.ts'
/** Campaigns and long runs of real programs: `npm run test:long`. */
const LONG = '**/*.long.test.ts'
/**
 * Tests in these folders mock no module and restore what they change in their process, so one process runs many files and
 * loads the modules once: half the CPU time.
 */
const SHARED = ['client', 'contract', 'explore', 'histories', 'hunt', 'reports', 'scripts', 'simulator'].map(
  (folder) => `${folder}/${ALL}`,
)
const NOT_OURS = '**/node_modules/**'

export default defineConfig({
  // Vite warns of each source map that a test dependency leaves out.
  logLevel: 'error',
  test: {
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, exclude: [LONG], isolate: false } },
      { extends: true, test: { name: 'isolated', include: [ALL], exclude: [LONG, NOT_OURS, ...SHARED] } },
      { extends: true, test: { name: 'long', include: [LONG], exclude: [NOT_OURS] } },
    ],
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
