/** Runs a step of action.yml after the dependencies are installed: `node scripts/action.mjs cache | run`. */
import buildIfStale from './build.mjs'

await buildIfStale()
await import('../dist/action.js')
