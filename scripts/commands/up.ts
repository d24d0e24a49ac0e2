/** `breakwater up`: the stub exchange alone, for people who develop or debug a client of the exchange. */
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'
import type { ChoiceSetName } from '../../simulator/choices/choices.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import { FaultPlanMisfit } from '../../simulator/faults/unknown-routes.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { CONTROL_TOKEN_ENV } from '../control-token.ts'
import { findMutant } from '../find-mutant.ts'
import { throwIfInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'
import { loadFaults } from '../load-faults.ts'
import { readDumpFile } from '../read-dump-file.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { introduction } from '../up/introduction.ts'
import { introductionJson } from '../up/introduction-json.ts'

export type UpOptions = {
  io: Io
  world: string
  seed: number
  choices: ChoiceSetName
  /** A dump, in place of world and seed. */
  load?: string
  mutant?: string
  /** Of REST interface and feed: an IP address. */
  host: string
  port: number
  feedPort: number
  controlPort: number
  profile?: string
  /** A fault plan: a name, or a file. */
  faults?: string
  /** REST requests a second that it has time for; as many as it can if left out. */
  serviceRate?: number
  /** Whether journal and observer stand by; they do if left out. */
  observer?: boolean
  /** Whether there is a limit of requests a second; there is one if left out. */
  rateLimit?: boolean
  json?: true
}

/**
 * Runs until it is interrupted, also where nobody reads its output any more; then closes every socket with 1012. Ended by
 * SIGTERM, as servers are, it has done all that it should. Throws a BreakwaterError: usage for a bad option, a file that is no
 * dump or a fault plan that does not fit, environment for a port that cannot be had.
 */
export async function runUp(options: UpOptions): Promise<ExitCode> {
  const { io, load } = options
  checkPorts(options)
  const controlToken = givenToken(io.env)
  const faults = options.faults === undefined ? undefined : await loadFaults(options.faults, io.cwd)
  const stub = await startStub({
    world: options.world,
    seed: options.seed,
    choices: options.choices,
    ...(load !== undefined && { load: { dump: readDumpFile(resolve(io.cwd, load), load), source: load } }),
    mutant: findMutant(options.mutant)?.name ?? null,
    host: options.host,
    restPort: options.port,
    feedPort: options.feedPort,
    controlPort: options.controlPort,
    ...(controlToken !== undefined && { controlToken }),
    ...(faults && { faults }),
    ...(options.serviceRate !== undefined && { serviceRate: options.serviceRate }),
    ...(options.rateLimit === false && { rateLimit: NO_RATE_LIMIT }),
    observer: options.observer ?? true,
    pace: 'real',
  }).catch((error: unknown) => {
    if (!(error instanceof FaultPlanMisfit)) throw error
    const { hint, message } = error
    throw new BreakwaterError(`${options.faults}: ${message}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    })
  })
  try {
    throwIfInterrupted(io.interrupted)
    if (options.profile !== undefined)
      await writeProfile(stub, resolve(io.cwd, options.profile), options.profile)
    const { profile: profileFile, serviceRate, observer } = options
    const lines = options.json
      ? [JSON.stringify(introductionJson(stub, profileFile))]
      : introduction(stub, options.choices, { profileFile, faults, serviceRate, observer })
    for (const line of lines) io.stdout(line)
    await untilInterrupted(io.interrupted)
  } finally {
    await stub.close()
  }
  return io.interrupted.reason === 'SIGTERM' ? EXIT.ok : EXIT.interrupted
}

const PORTS = [
  ['--port', 'port'],
  ['--feed-port', 'feedPort'],
  ['--control-port', 'controlPort'],
] as const

function checkPorts(options: UpOptions): void {
  for (const [index, [option, name]] of PORTS.entries()) {
    const other = PORTS.slice(0, index).find(([, earlier]) => options[earlier] === options[name])
    if (options[name] === 0 || other === undefined) continue
    throw new BreakwaterError(`${other[0]} and ${option} are both ${options[name]}`, {
      hint: 'Each of the three listeners needs a port of its own; 0 stands for any that is free.',
    })
  }
}

/** Of the control API, where somebody beside the stub has to know it before. */
function givenToken(env: NodeJS.ProcessEnv): string | undefined {
  const token = env[CONTROL_TOKEN_ENV]?.trim()
  if (!token) return undefined
  if (/^[A-Za-z0-9._~-]{16,200}$/.test(token)) return token
  throw new BreakwaterError(`${CONTROL_TOKEN_ENV}: no token that a stub could take`, {
    hint: 'Let it have 16 letters, digits or hyphens at least, or unset it: the stub then makes one of its own.',
  })
}

/** The profile, and beside it the demo wallets that it names: both for this user's eyes only. */
async function writeProfile(stub: Stub, file: string, shown: string): Promise<void> {
  const wallets = `${stub.profile.name}-wallets.json`
  const profile = { ...stub.profile, credentials: { ...stub.profile.credentials, wallets } }
  try {
    await writeFile(file, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 })
    await writeFile(join(dirname(file), wallets), `${JSON.stringify(stub.wallets, null, 2)}\n`, {
      mode: 0o600,
    })
  } catch (cause) {
    throw new BreakwaterError(`${shown}: the profile cannot be written: ${fileFailure(cause)}`, {
      hint: 'Name a file in a folder that exists and that you may write to.',
      cause,
    })
  }
}
