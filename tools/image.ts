/**
 * `npm run image -- --output FILE.tar --name localhost/breakwater:test`: the image as an archive for `ctr images import`, `docker
 * load`, `podman load` and `skopeo`, made without a container engine. Uses the command line's exit codes.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { makeImage } from './image/make-image.ts'

const { output, name } = parseArgs({
  options: {
    output: { type: 'string', short: 'o' },
    name: { type: 'string', default: 'localhost/breakwater:test' },
  },
}).values
if (output === undefined) {
  console.error('image: --output FILE.tar is missing: name the archive to write')
  process.exit(EXIT.usage)
}

try {
  const { digest } = await makeImage({
    file: resolve(output),
    name,
    env: process.env,
    onProgress: console.error,
  })
  console.log(`${output} is ${name} (${digest})`)
} catch (error) {
  if (!(error instanceof BreakwaterError)) throw error
  console.error(`image: ${error.message}${error.hint === undefined ? '' : `\n  ${error.hint}`}`)
  process.exitCode = error.exitCode
}
