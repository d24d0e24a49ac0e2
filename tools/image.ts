/**
 * `npm run image -- --output FILE.tar --name localhost/breakwater:test`: the image as an archive for `ctr images import`, `docker
 * load`, `podman load` and `skopeo`, made without a container engine. Uses the command line's exit codes.
 */
import { resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { makeImage } from './image/make-image.ts'
import { exitWith, toolArguments } from './tool-arguments.ts'

const { output, name } = toolArguments('image', {
  options: {
    output: { type: 'string', short: 'o' },
    name: { type: 'string', default: 'localhost/breakwater:test' },
  },
}).values
if (output === undefined) {
  exitWith(
    'image',
    new BreakwaterError('--output is required', {
      hint: 'Expected --output FILE.tar, the archive to write.',
    }),
  )
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
  exitWith('image', error)
}
