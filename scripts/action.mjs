/** What action.yml runs, once the dependencies are there: `node scripts/action.mjs cache | k6 | run`. */
await import('./typescript.mjs')
await import('./action/main.ts')
