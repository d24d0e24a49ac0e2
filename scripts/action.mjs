/** What action.yml runs, once the dependencies are there: `node scripts/action.mjs cache | k6 | run`. */
import buildIfStale from './build.mjs'

await buildIfStale()
await import('../dist/action.js')
