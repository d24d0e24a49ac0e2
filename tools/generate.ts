/** Writes the files in GENERATED, which derive from the contract; a test fails if one is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GENERATED } from './generate/generated.ts'
import { toolArguments } from './tool-arguments.ts'

toolArguments('generate', { options: {} })
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
for (const { path, text } of GENERATED) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text())
  console.log(`wrote ${path}`)
}
