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
import type { Profile } from '../../contract/profile.ts'
import { scenarioText } from '../../scripts/init/scenario-text.ts'
import { projectPath } from '../../scripts/project.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'

/** Address of the deployment that pages call `exchange.example`: 127.0.0.1 as IPv6, which needs permission like a remote host. */
export const DEPLOYMENT_HOST = '[::ffff:7f00:1]'

type Addresses = { profile: Pick<Profile, 'baseUrl' | 'wsUrl'> }

export function moveToDeployment({ profile }: Addresses): Pick<Profile, 'baseUrl' | 'wsUrl'> {
  const moved = (url: string) => url.replace('127.0.0.1', DEPLOYMENT_HOST)
  return { baseUrl: moved(profile.baseUrl), wsUrl: moved(profile.wsUrl) }
}

/** Replaces the addresses in a file of a page with the deployment's. */
export function onDeployment(text: string, stub: Addresses): string {
  const { baseUrl, wsUrl } = moveToDeployment(stub)
  return text
    .replaceAll('https://exchange.example/api', baseUrl)
    .replaceAll('wss://exchange.example/feed', wsUrl)
}

const FIXTURES: Readonly<Partial<Record<GivenKind, string>>> = {
  slo: 'slos/smoke.json',
  mix: 'mixes/reads.json',
  stages: 'stages/spike.json',
  world: 'worlds/tiny.json',
  plan: 'faults/outage.json',
}

const WAIVERS = [{ rule: 'faucet.claim.once', reason: 'known', until: '2999-12-31' }]

/** Writes a file of each kind, named after it. The two runs were made at the same time. */
async function makeGivens(
  folder: string,
  { stub, env }: { stub: Stub; env: NodeJS.ProcessEnv },
): Promise<void> {
  for (const [kind, fixture] of Object.entries(FIXTURES)) {
    copyFileSync(projectPath(`fixtures/${fixture}`), join(folder, kind))
  }
  const wallets = join(folder, 'wallets.json')
  writeFileSync(wallets, JSON.stringify(stub.wallets), { mode: 0o600 })
  // Like a deployment without a control API.
  const profile = {
    ...stub.profile,
    name: 'staging',
    control: null,
    credentials: { ...stub.profile.credentials, wallets },
  }
  writeFileSync(join(folder, 'profile'), JSON.stringify(profile))
  writeFileSync(join(folder, 'deployment'), JSON.stringify({ ...profile, ...moveToDeployment(stub) }))
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile))
  writeFileSync(join(folder, 'waivers'), JSON.stringify(WAIVERS))
  writeFileSync(join(folder, 'scenario'), scenarioText('mine'))
  const breakwater = (line: string) =>
    promisify(execFile)('breakwater', line.split(' '), { cwd: folder, env, encoding: 'utf8' })
  const load = 'load --target profile.json --rate 160 --duration 6s --warm-up 1s'
  await Promise.all([
    breakwater('chain --world tiny --blocks 5 --dump dump'),
    breakwater(`${load} --seed 1 --output run-1`),
    breakwater(`${load} --seed 2 --output run-2`),
  ])
}

/** A machine to run the commands of pages: programs, the files that pages assume, and a deployment. */
export type Reader = {
  /** Has this project's `npx` and `breakwater` first on the path, and no tokens of another stub. */
  env: NodeJS.ProcessEnv
  /** A writable checkout: a new folder with links to the project's files, and the page's own files. */
  checkout(name: string, files: Readonly<Record<string, string>>): string
  close(): Promise<void>
}

const NOT_LINKED = new Set(['.git', 'runs', '.cache'])

/** Takes about ten seconds, for the two runs that pages name. `close` removes the folder. */
export async function makeReader(): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-docs-'))
  const bin = join(folder, 'bin')
  const givens = join(folder, 'givens')
  for (const made of [bin, givens]) mkdirSync(made)
  const breakwater = `exec node '${projectPath('scripts/breakwater.mjs')}'`
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  program('breakwater', `${breakwater} "$@"`)
  // npx itself takes half a second to find the program.
  program(
    'npx',
    `if [ "$1" = breakwater ]; then shift; ${breakwater} "$@"; fi\nPATH=\${PATH#*:} exec npx "$@"`,
  )
  const { BREAKWATER_CONTROL_TOKEN: _, BREAKWATER_API_TOKENS: __, ...rest } = process.env
  const env = { ...rest, PATH: `${bin}:${process.env.PATH}`, GIVENS: givens, NO_COLOR: '1' }
  const stub: Stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real' })
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

/** Files that a page assumes to exist and that a test must create. */
type GivenKind =
  | 'profile'
  | 'deployment'
  | 'slo'
  | 'mix'
  | 'stages'
  | 'world'
  | 'plan'
  | 'waivers'
  | 'dump'
  | 'scenario'
  | 'run'

type Given = { path: string; kind: GivenKind }

const OPTION_FILES: Readonly<Record<string, GivenKind>> = {
  '--target': 'profile',
  '--slo': 'slo',
  '--mix': 'mix',
  '--stages': 'stages',
  '--world': 'world',
  '--faults': 'plan',
  '--waivers': 'waivers',
  '--from-dump': 'dump',
  '--baseline': 'run',
}

const COMMAND_FILES: Readonly<Record<string, GivenKind>> = {
  run: 'scenario',
  report: 'run',
  merge: 'run',
  compare: 'run',
  'compare --run': 'profile',
}

/** Files and folders named by the arguments of a `breakwater` command, in order, except names of fixtures. */
export function listNamedFiles(words: readonly string[]): Given[] {
  if (words[0] === 'runs') return [{ path: 'runs/earlier', kind: 'run' }]
  const command = words[0] === 'compare' && words.includes('--run') ? 'compare --run' : (words[0] ?? '')
  return words.flatMap((path, at) => {
    const option = OPTION_FILES[words[at - 1] ?? '']
    const named = option ?? (at > 0 && isPath(path) ? COMMAND_FILES[command] : undefined)
    const isDeployment = words.includes('exchange.example') || words.includes(DEPLOYMENT_HOST)
    const kind = named === 'profile' && isDeployment ? 'deployment' : named
    return kind !== undefined && isPath(path) && !isOutput(words[at - 1])
      ? [{ path: path === 'runs' ? 'runs/earlier' : path, kind }]
      : []
  })
}

/** A file by its extension, or a run folder by its place; a single letter is a run folder too. */
function isPath(word: string): boolean {
  return /\.(json|dump|ts)$|^runs\/?|^[a-z]$/.test(word) && !word.startsWith('stub:')
}

function isOutput(option: string | undefined): boolean {
  return option === '--output' || option === '--profile' || option === '--k6-out'
}
