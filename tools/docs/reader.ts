import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectPath } from '../../scripts/project-path.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { onDeployment } from './deployment.ts'
import { makeGivens } from './make-givens.ts'

/** A machine on which somebody follows the pages: programs, what pages take for granted, a deployment of the exchange. */
export type Reader = {
  /** With `npx` and `breakwater` of this project first on the path, and without the tokens of another stub. */
  env: NodeJS.ProcessEnv
  /** A checkout of the project that may be written to: its own folder, with the project's files as links, and a page's. */
  checkout(name: string, files: Readonly<Record<string, string>>): string
  close(): Promise<void>
}

/** What a checkout has of its own, or does without. */
const NOT_LINKED = new Set(['.git', 'runs', '.cache'])

/** Takes some ten seconds, for the two runs that pages name. The folder goes with `close`. */
export async function makeReader(): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-docs-'))
  const bin = join(folder, 'bin')
  const givens = join(folder, 'givens')
  for (const made of [bin, givens]) mkdirSync(made)
  const breakwater = `exec node '${projectPath('scripts/breakwater.mjs')}'`
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  program('breakwater', `${breakwater} "$@"`)
  // npx itself takes half a second to find the same program.
  program(
    'npx',
    `if [ "$1" = breakwater ]; then shift; ${breakwater} "$@"; fi\nPATH=\${PATH#*:} exec npx "$@"`,
  )
  const { BREAKWATER_CONTROL_TOKEN: _, BREAKWATER_API_TOKENS: __, ...rest } = process.env
  const env = { ...rest, PATH: `${bin}:${process.env.PATH}`, GIVENS: givens, NO_COLOR: '1' }
  const stub: Stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real', examples: 'none' })
  await makeGivens(givens, { stub, env })
  return {
    env,
    checkout(name, files) {
      const path = join(folder, name)
      mkdirSync(path, { recursive: true })
      for (const entry of readdirSync(projectPath('.'))) {
        if (!NOT_LINKED.has(entry)) symlinkSync(projectPath(entry), join(path, entry))
      }
      for (const [file, text] of Object.entries(files))
        writeFileSync(join(path, file), onDeployment(text, stub))
      copyFileSync(join(givens, 'wallets.json'), join(path, 'wallets.json'))
      return path
    },
    async close() {
      await stub.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
