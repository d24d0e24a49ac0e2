/**
 * Runs before each test file. Property tests draw by the committed sources, so results repeat until a file changes.
 * `BREAKWATER_PROPERTY_SEED` and `BREAKWATER_PROPERTY_RUNS` override seed and number, as in nightly.
 */
import fc from 'fast-check'

const { BREAKWATER_PROPERTY_SEED: seed, BREAKWATER_PROPERTY_RUNS: runs } = process.env

fc.configureGlobal({
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(runs !== undefined && { numRuns: Number(runs) }),
})
