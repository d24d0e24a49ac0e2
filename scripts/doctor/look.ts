/** Collects the facts that the checks of `breakwater doctor` judge, about this machine and about a target. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { access, constants, readFile, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { CONTROL_TOKEN_ENV, findControlToken } from '../control-api.ts'
import type { Io } from '../io.ts'
import { builtK6Path, findPip, installedGo, isExecutable, seriesK6Version } from '../k6/find-k6.ts'
import { runCommand } from '../k6/run-command.ts'
import { ephemeralPorts } from '../load/announce-load.ts'
import { pickMetricsHeaders } from '../load/scrape-target.ts'
import { cacheFolder, foreignAccess, tryToWrite } from '../make-folder.ts'
import { projectPath } from '../project.ts'
import { whyNoOwnTokens } from '../target/own-tokens.ts'
import { hostsElsewhere, permissionFor } from '../target/permission.ts'
import { mustServe } from '../target/reach-target.ts'
import { feedAddress, requestTarget, restAddress, type TargetResponse } from '../target/request-target.ts'
import {
  caPath,
  type ProfileFile,
  parseApiTokens,
  readCertificates,
  readWallets,
} from '../target/target-files.ts'
import { type SignInFacts, signInOnce } from './sign-in-check.ts'

const PORTS = [8080, 8081, 8082]
const CLOCK_MS = 500

/** Collects facts about this machine. Leaves no files, builds nothing and sends nothing to the network. */
export async function lookAtMachine({ env, cwd }: Pick<Io, 'env' | 'cwd'>): Promise<MachineFacts> {
  const watched = watchClock()
  const [node, k6, version, pip, ports, portRange, openFilesMax, cache, runs, temporary] = await Promise.all([
    lookAtNode(),
    lookAtK6(env),
    installedGo(env),
    findPip(env),
    Promise.all(PORTS.map(lookAtPort)),
    lookAtEphemeralPorts(env),
    lookAtOpenFiles(env),
    lookAtCache(cacheFolder(env)),
    lookAtFolder(join(cwd, 'runs')),
    lookAtFolder(tmpdir()),
  ])
  return {
    platform: process.platform,
    node,
    k6,
    go: { version: version ?? null, hasPip: pip !== undefined },
    ports,
    ephemeralPorts: portRange,
    openFilesMax,
    clock: await watched,
    cores: Math.min(allowedCores(), quotaCores()),
    memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
    folders: { cache, runs, temporary },
  }
}

async function watchClock(): Promise<MachineFacts['clock']> {
  const [wall, steady] = [Date.now(), performance.now()]
  await delay(CLOCK_MS)
  return { wallMs: Date.now() - wall, steadyMs: performance.now() - steady, now: new Date() }
}

async function lookAtNode(): Promise<MachineFacts['node']> {
  const { engines } = JSON.parse(await readFile(projectPath('package.json'), 'utf8'))
  return { version: process.version, needed: String(engines.node) }
}

async function lookAtK6(env: NodeJS.ProcessEnv): Promise<MachineFacts['k6']> {
  const given = env.BREAKWATER_K6
  const path = given ? resolve(given) : await builtK6Path({ env, k6SourceDir: projectPath('k6') })
  const executable =
    (await isExecutable(path)) && (Boolean(given) || (await foreignAccess(cacheFolder(env))) === null)
  const version = executable ? await seriesK6Version(path, env) : undefined
  return { path, isGiven: Boolean(given), isExecutable: executable, version: version ?? null }
}

export async function lookAtPort(port: number): Promise<MachineFacts['ports'][number]> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return { port, failure: null }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // as: errors of node:net carry a code
    return { port, failure: code === 'EADDRINUSE' ? 'in use' : (code ?? message) }
  } finally {
    server.close()
  }
}

async function lookAtEphemeralPorts(env: NodeJS.ProcessEnv): Promise<number | null> {
  if (process.platform !== 'darwin') return ephemeralPorts()
  const names = ['first', 'last'].map((end) => `net.inet.ip.portrange.${end}`)
  const { lines } = await runCommand('sysctl', ['-n', ...names], { env })
  const [first = Number.NaN, last = Number.NaN] = lines.map(Number)
  return Number.isNaN(last - first) ? null : last - first + 1
}

/** The hard limit: Node and k6 raise theirs to it when they start. */
async function lookAtOpenFiles(env: NodeJS.ProcessEnv): Promise<number | null> {
  if (process.platform === 'win32') return null
  const { lines, exitCode } = await runCommand('sh', ['-c', 'ulimit -Hn'], { env })
  if (exitCode !== 0) return null
  return lines[0] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(lines[0])
}

/** Reads a list such as `0-3,6`, set by `taskset` or a container. */
function allowedCores(): number {
  const list = /^Cpus_allowed_list:\s+(\S+)/m.exec(readText('/proc/self/status'))?.[1]
  if (list === undefined) return availableParallelism()
  const counts = list.split(',').map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return to - from + 1
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The lowest limit of the control group and its parents: `200000 100000` is two cores, `max 100000` unlimited. */
function quotaCores(): number {
  let least = Number.POSITIVE_INFINITY
  let group = /^0::(\/.*)$/m.exec(readText('/proc/self/cgroup'))?.[1]
  while (group !== undefined) {
    const limit = /^(\d+) (\d+)/.exec(readText(join('/sys/fs/cgroup', group, 'cpu.max')))
    if (limit) least = Math.min(least, Number(limit[1]) / Number(limit[2]))
    group = group === '/' ? undefined : dirname(group)
  }
  return least
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

async function lookAtCache(path: string): Promise<FolderFacts> {
  const [facts, foreign] = await Promise.all([lookAtFolder(path), foreignAccess(path).catch(() => null)])
  return foreign === null ? facts : { ...facts, failure: foreign }
}

/** Checks the folder, or if it does not exist, its nearest existing parent. */
async function lookAtFolder(path: string): Promise<FolderFacts> {
  const nearest = await nearestFolder(path)
  const freeBytes = await statfs(nearest).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
  return { path, failure: failureToWrite(nearest), freeBytes }
}

async function nearestFolder(path: string): Promise<string> {
  const exists = await access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : nearestFolder(dirname(path))
}

function failureToWrite(folder: string): string | null {
  try {
    tryToWrite(folder)
    return null
  } catch (cause) {
    return fileFailure(cause)
  }
}

export type MachineFacts = {
  platform: NodeJS.Platform
  node: { version: string; needed: string }
  k6: {
    path: string
    isGiven: boolean
    isExecutable: boolean
    /** Null: it does not run, or lacks an extension of k6/. */
    version: string | null
  }
  go: { version: string | null; hasPip: boolean }
  /** Default ports of `breakwater stub`, each with the reason if it cannot be used. */
  ports: readonly { port: number; failure: string | null }[]
  /** Null: unknown on this platform. */
  ephemeralPorts: number | null
  openFilesMax: number | null
  /** How far each clock advanced during the check, and the current time. */
  clock: { wallMs: number; steadyMs: number; now: Date }
  cores: number
  memoryBytes: number
  folders: Readonly<Record<'cache' | 'runs' | 'temporary', FolderFacts>>
}

export type FolderFacts = {
  path: string
  failure: string | null
  freeBytes: number | null
}

/** Reads the files that the profile names, and sends at most five GET requests. With `signIn`, it also signs in, if allowed. */
export async function lookAtTarget(
  from: ProfileFile,
  env: NodeJS.ProcessEnv,
  { signIn, confirm }: { signIn?: true | undefined; confirm?: readonly string[] | undefined } = {},
): Promise<TargetFacts> {
  const { profile, file } = from
  const { metrics: metricsUrl } = profile
  const ca = await tried(() => readCertificates(from))
  const options = { profile, ca: 'value' in ca ? ca.value : null }
  const request = (address: string) => tried(() => requestTarget(address, options))
  const [wallets, control, rest, feed, serves, metrics] = await Promise.all([
    profile.credentials.wallets === null ? null : tried(() => countWallets(from)),
    profile.control === null ? null : tried(() => requestControl(profile, { env, file })),
    request(restAddress(profile)),
    request(feedAddress(profile)),
    tried(() => mustServe({ profile: { ...profile, ca: caPath(from) } })),
    metricsUrl === null
      ? null
      : tried(() =>
          requestTarget(metricsUrl, {
            profile: { headers: pickMetricsHeaders(metricsUrl, profile), origin: null },
            ca: options.ca,
            field: 'metrics',
          }),
        ),
  ])
  return {
    profile,
    signIn: signIn ? await tried(() => signInOnce(from, { confirm, rest, serves })) : null,
    ca: profile.ca === null ? null : ca,
    wallets,
    apiTokens: parseApiTokens(profile, env).length,
    control,
    rest,
    feed,
    serves,
    metrics,
  }
}

async function countWallets(from: ProfileFile): Promise<WalletFacts> {
  const { profile } = from
  const wallets = await readWallets(from)
  return {
    count: wallets.length,
    withKey: wallets.filter(({ privateKeyJwk }) => privateKeyJwk !== undefined).length,
    canCreateTokens:
      whyNoOwnTokens({ profile, wallets }, permissionFor(profile, hostsElsewhere(profile)).writes) ===
      undefined,
  }
}

async function requestControl(
  profile: ProfileFile['profile'],
  options: { env: Io['env']; file: string },
): Promise<'token taken' | 'no token'> {
  if (!options.env[CONTROL_TOKEN_ENV]?.trim()) return 'no token'
  await findControlToken(profile, options)
  return 'token taken'
}

async function tried<Value>(act: () => Promise<Value>): Promise<Tried<Value>> {
  try {
    return { value: await act() }
  } catch (error) {
    if (error instanceof BreakwaterError) return { failure: error.message, hint: error.hint }
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

export type Tried<Value> = { value: Value } | { failure: string; hint?: string | undefined }

/** `canCreateTokens`: with the hosts confirmed. */
export type WalletFacts = { count: number; withKey: number; canCreateTokens: boolean }

export type TargetFacts = {
  profile: Profile
  /** Null: the profile names none. */
  wallets: Tried<WalletFacts> | null
  /** Null: not requested. */
  signIn: Tried<SignInFacts | { skipped: string }> | null
  ca: Tried<unknown> | null
  /** The number of tokens in the environment; never the tokens. */
  apiTokens: number
  /** Null: the profile names no control API. */
  control: Tried<'token taken' | 'no token'> | null
  rest: Tried<TargetResponse>
  feed: Tried<TargetResponse>
  /** The response to a read that every exchange supports. */
  serves: Tried<unknown>
  metrics: Tried<TargetResponse> | null
}
