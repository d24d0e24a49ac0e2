/** `breakwater up`: the stub exchange alone, for people who develop or debug a client of the exchange. */
import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName } from '../../simulator/choices/choices.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import { startStub } from '../../simulator/stub.ts'
import { givenControlToken } from '../control-token.ts'
import { findMutant } from '../find-mutant.ts'
import { throwIfInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'
import { loadFaults } from '../load-faults.ts'
import { readDumpFile } from '../read-dump-file.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { introduction } from '../up/introduction.ts'
import { introductionJson } from '../up/introduction-json.ts'
import { throwMisfit } from '../up/throw-misfit.ts'
import { writeProfile } from '../up/write-profile.ts'

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
  const controlToken = givenControlToken(io.env)
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
  }).catch((error: unknown) => throwMisfit(error, options.faults))
  try {
    throwIfInterrupted(io.interrupted)
    if (options.profile !== undefined) await writeProfile(stub, { file: options.profile, cwd: io.cwd })
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
