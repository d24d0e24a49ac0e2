/**
 * `npm run image -- --out FILE.tar --name localhost/breakwater:test`: the image as an archive for `ctr images import`, `docker
 * load`, `podman load` and `skopeo`, made without a container engine. Uses the command line's exit codes.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { makeImage } from './image/make-image.ts'

const { out, name } = parseArgs({
  options: { out: { type: 'string' }, name: { type: 'string', default: 'localhost/breakwater:test' } },
}).values
if (out === undefined) {
  console.error('image: --out FILE.tar is missing: name the archive to write')
  process.exit(EXIT.usage)
}

try {
  const { digest } = await makeImage({
    file: resolve(out),
    name,
    env: process.env,
    onProgress: console.error,
  })
  console.log(`${out} is ${name} (${digest})`)
} catch (error) {
  if (!(error instanceof BreakwaterError)) throw error
  console.error(`image: ${error.message}${error.hint === undefined ? '' : `\n  ${error.hint}`}`)
  process.exitCode = error.exitCode
}
