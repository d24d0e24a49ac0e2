/**
 * Runs before each test file. Properties draw by the committed sources, so that what passed once passes again, and draw other
 * values once a file changes. `BREAKWATER_PROPERTY_SEED` draws others, and `BREAKWATER_PROPERTY_RUNS` more: nightly does both.
 */
import fc from 'fast-check'

const { BREAKWATER_PROPERTY_SEED: seed, BREAKWATER_PROPERTY_RUNS: runs } = process.env

fc.configureGlobal({
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(runs !== undefined && { numRuns: Number(runs) }),
})
