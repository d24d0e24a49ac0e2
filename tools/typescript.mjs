/**
 * Lets Node read this project's TypeScript, for what is run from its sources: tests, benches, `npm run generate`. The command
 * itself is compiled, and they start it. Nothing is kept in the shared temporary folder, where it could be somebody else's code.
 */
import buildIfStale from '../scripts/build.mjs'

await buildIfStale()
process.env.TSX_DISABLE_CACHE = '1'
const { register } = await import('tsx/esm/api')
register({ tsconfig: false })
