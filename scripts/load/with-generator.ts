import { rmSync } from 'node:fs'
import type { Io } from '../io.ts'
import { bundleScript } from '../k6/bundle-script.ts'
import { readyK6 } from '../k6/ready-k6.ts'
import { projectPath } from '../project-path.ts'
import { makeScratchFolder } from '../scratch-folder.ts'

/** What makes loads: k6, and the script, bundled once for all of them. */
export type Generator = { k6: string; version: string; script: string }

/** Throws a BreakwaterError: environment where k6 cannot be had, interrupted where the user asks for the end meanwhile. */
export async function withGenerator<Result>(
  io: Io,
  use: (generator: Generator) => Promise<Result>,
): Promise<Result> {
  const { k6, version } = await readyK6(io)
  const folder = await makeScratchFolder('load')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const { file } = await bundleScript({ script: projectPath('scenarios/load.k6.ts'), folder })
    return await use({ k6, version, script: file })
  } finally {
    remove()
    process.off('exit', remove)
  }
}
