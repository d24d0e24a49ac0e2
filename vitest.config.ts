import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './tools/test/slow-first.ts'
import { treeOfCommit } from './tools/test/tree-sample.ts'

const treeSeed = createHash('sha256').update(treeOfCommit()).digest().readInt32BE()

const FOLDERS = ['client', 'contract', 'reports', 'scenarios', 'scripts', 'simulator', 'tools']
/**
 * A mocked module stays mocked, a listener and a variable of the process stay set, a stub or a browser that the tests of a file
 * share is closed once, and Ajv numbers the validators that it compiles.
 */
const LEAVES_TRACES =
  /vi\.mock\(|process\.(on|once)\(|process\.env\.\w+ = |given-stub|open-page|test-browser|generated\.ts|\/proc\//

/** These run one process a file. A process runs many of all others: it loads and compiles the modules of the project once. */
const isolated = FOLDERS.flatMap(testFiles).filter((file) => LEAVES_TRACES.test(readFileSync(file, 'utf8')))

export default defineConfig({
  // Vite warns of each source map that a test dependency leaves out.
  logLevel: 'error',
  test: {
    // Tests start the compiled command, and k6 with compiled scenarios.
    globalSetup: './scripts/build.mjs',
    setupFiles: './tools/test/properties-seed.ts',
    env: { BREAKWATER_PROPERTY_SEED: process.env.BREAKWATER_PROPERTY_SEED ?? String(treeSeed) },
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // More than cores: many tests wait for processes that they started.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['**/*.test.ts'],
          exclude: ['**/node_modules/**', ...isolated],
          isolate: false,
        },
      },
    ],
  },
})

function testFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`)
}
