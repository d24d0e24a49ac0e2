import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { throwIfInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'
import { bundleScript } from '../k6/bundle-script.ts'
import { findK6 } from '../k6/find-k6.ts'
import { k6Version } from '../k6/k6-version.ts'
import { projectPath } from '../project-path.ts'

/** What makes loads: k6, and the script, bundled once for all of them. */
export type Generator = { k6: string; version: string; script: string }

/** Throws a BreakwaterError: environment where k6 cannot be had, interrupted where the user asks for the end meanwhile. */
export async function withGenerator<Result>(
  io: Io,
  use: (generator: Generator) => Promise<Result>,
): Promise<Result> {
  const k6 = await findK6({
    env: io.env,
    k6SourceDir: projectPath('k6'),
    onProgress: io.tell,
    signal: io.interrupted,
  }).finally(() => throwIfInterrupted(io.interrupted))
  const version = await k6Version(k6, io.env)
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-load-'))
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
