/**
 * Lets Node run this project's TypeScript from its sources: tests, benches, `npm run generate`. They start the compiled command.
 * Caches nothing in the shared temporary folder, where another user could replace the code.
 */
import buildIfStale from '../scripts/build.mjs'

await buildIfStale()
process.env.TSX_DISABLE_CACHE = '1'
const { register } = await import('tsx/esm/api')
register({ tsconfig: false })
