import { execFile } from 'node:child_process'
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
import { promisify } from 'node:util'
import { scenarioText } from '../../scripts/init/scenario-text.ts'
import { projectPath } from '../../scripts/project.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { deploymentOf, onDeployment } from './deployment.ts'
import type { GivenKind } from './givens.ts'

/** Kinds that a fixture stands in for. */
const FIXTURES: Readonly<Partial<Record<GivenKind, string>>> = {
  slo: 'slos/smoke.json',
  mix: 'mixes/reads.json',
  stages: 'stages/spike.json',
  world: 'worlds/tiny.json',
  plan: 'faults/outage.json',
}

const WAIVERS = [{ rule: 'faucet.claim.once', reason: 'known', until: '2999-12-31' }]

/** Writes a file for each kind of given, named after the kind; of runs two, which were made at the same time. */
async function makeGivens(
  folder: string,
  { stub, env }: { stub: Stub; env: NodeJS.ProcessEnv },
): Promise<void> {
  for (const [kind, fixture] of Object.entries(FIXTURES)) {
    copyFileSync(projectPath(`fixtures/${fixture}`), join(folder, kind))
  }
  const wallets = join(folder, 'wallets.json')
  writeFileSync(wallets, JSON.stringify(stub.wallets), { mode: 0o600 })
  // As a deployment that offers no control API.
  const profile = {
    ...stub.profile,
    name: 'staging',
    control: null,
    credentials: { ...stub.profile.credentials, wallets },
  }
  writeFileSync(join(folder, 'profile'), JSON.stringify(profile))
  writeFileSync(join(folder, 'deployment'), JSON.stringify({ ...profile, ...deploymentOf(stub) }))
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile))
  writeFileSync(join(folder, 'waivers'), JSON.stringify(WAIVERS))
  writeFileSync(join(folder, 'scenario'), scenarioText('mine'))
  const breakwater = (line: string) =>
    promisify(execFile)('breakwater', line.split(' '), { cwd: folder, env, encoding: 'utf8' })
  const load = 'load --target profile.json --rate 160 --duration 4 --warm-up 1'
  await Promise.all([
    breakwater('chain --world tiny --blocks 5 --dump dump'),
    breakwater(`${load} --seed 1 --out run-1`),
    breakwater(`${load} --seed 2 --out run-2`),
  ])
}

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
