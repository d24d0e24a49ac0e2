/**
 * `npm run image -- --out FILE.tar --name localhost/breakwater:test`: the image as an archive for `ctr images import`, `docker
 * load`, `podman load` and `skopeo`, made without a container engine. Uses the command line's exit codes.
 */
import { resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { makeImage } from './image/make-image.ts'
import { exitWith, toolArguments } from './tool-arguments.ts'

const { out, name } = toolArguments('image', {
  options: { out: { type: 'string' }, name: { type: 'string', default: 'localhost/breakwater:test' } },
}).values
if (out === undefined) {
  exitWith(
    'image',
    new BreakwaterError('--out is required', { hint: 'Expected --out FILE.tar, the archive to write.' }),
  )
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
  exitWith('image', error)
}
