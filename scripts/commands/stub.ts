/** `breakwater stub`: the stub exchange alone, for people who develop or debug a client of the exchange. */
import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS, type Deployment } from '../../simulator/choices/choices.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import { startStub } from '../../simulator/stub.ts'
import { givenControlToken } from '../control-api.ts'
import { loadFaults, readDumpFile, throwMisfit } from '../given-files.ts'
import { type Io, throwIfInterrupted, untilInterrupted } from '../io.ts'
import { findMutant } from '../runs/plan.ts'
import { introduction, introductionJson } from '../stub/introduction.ts'
import { createStubCertificate, withCaFile, writeProfile } from '../stub/write-profile.ts'

export type StubCommandOptions = {
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
  /** Whether it speaks TLS, with a certificate of its own. */
  tls?: true
  profile?: string
  /** A fault plan: a name, or a file. */
  faults?: string
  /** REST requests a second that it has time for; as many as it can if left out. */
  serviceRate?: number
  /** What differs from the deployment of the choices: nodes, and how far the last replica is behind, in milliseconds. */
  replicas?: number
  replicaLag?: number
  gateways?: number
  /** From the restart of one node to that of the next, in milliseconds; no node restarts by itself if left out. */
  rollingRestart?: number
  /** Whether journal and observer stand by; they do if left out. */
  observer?: boolean
  /** Whether there is a limit of requests a second; there is one if left out. */
  rateLimit?: boolean
  /** Whether no token is printed. */
  hideTokens?: true
  json?: true
}

/**
 * Runs until it is interrupted, also where nobody reads its output any more; then closes every socket with 1012. Ended by
 * SIGTERM, as servers are, it has done all that it should. Throws a BreakwaterError: usage for a bad option, a file that is no
 * dump or a fault plan that does not fit, environment for a port that cannot be had.
 */
export async function runStub(options: StubCommandOptions): Promise<ExitCode> {
  const { io, load } = options
  checkPorts(options)
  const controlToken = givenControlToken(io.env)
  const faults = options.faults === undefined ? undefined : await loadFaults(options.faults, io.cwd)
  const certificate = options.tls ? await createStubCertificate(options) : null
  const stub = await startStub({
    world: options.world,
    seed: options.seed,
    choices: options.choices,
    ...(load !== undefined && { load: { dump: readDumpFile(resolve(io.cwd, load), load), source: load } }),
    mutant: findMutant(options.mutant)?.name ?? null,
    host: options.host,
    ...(certificate && { tls: certificate.identity }),
    restPort: options.port,
    feedPort: options.feedPort,
    controlPort: options.controlPort,
    ...(controlToken !== undefined && { controlToken }),
    ...(faults && { faults }),
    ...(options.serviceRate !== undefined && { serviceRate: options.serviceRate }),
    deployment: deploymentOf(options),
    ...(options.rateLimit === false && { rateLimit: NO_RATE_LIMIT }),
    observer: options.observer ?? true,
    pace: 'real',
  }).catch((error: unknown) => throwMisfit(error, options.faults))
  try {
    throwIfInterrupted(io.interrupted)
    const ca = certificate?.ca ?? null
    const { profile: profileFile, serviceRate, observer, hideTokens } = options
    const serve = async (caFile: string | null) => {
      const lines = options.json
        ? [JSON.stringify(introductionJson(stub, { profileFile, caFile }))]
        : introduction(stub, options.choices, {
            profileFile,
            caFile,
            faults,
            serviceRate,
            observer,
            hideTokens,
          })
      for (const line of lines) io.stdout(line)
      await untilInterrupted(io.interrupted)
    }
    if (profileFile !== undefined)
      await serve(await writeProfile({ ...stub, ca }, { file: profileFile, cwd: io.cwd }))
    else if (ca === null) await serve(null)
    else await withCaFile(ca, serve)
  } finally {
    await stub.close()
  }
  return io.interrupted.reason === 'SIGTERM' ? EXIT.ok : EXIT.interrupted
}

function deploymentOf(options: StubCommandOptions): Partial<Deployment> {
  const { choices, replicas, replicaLag, gateways, rollingRestart } = options
  if (replicaLag !== undefined && (replicas ?? CHOICE_SETS[choices].deployment.replicas) === 0) {
    throw new BreakwaterError('--replica-lag: there is no replica to be behind', {
      hint: 'Add --replicas, or take --choices replicated.',
    })
  }
  return {
    ...(replicas !== undefined && { replicas }),
    ...(replicaLag !== undefined && { replicaLagMs: replicaLag }),
    ...(gateways !== undefined && { gateways }),
    ...(rollingRestart !== undefined && { rollingRestartMs: rollingRestart }),
  }
}

const PORTS = [
  ['--port', 'port'],
  ['--feed-port', 'feedPort'],
  ['--control-port', 'controlPort'],
] as const

function checkPorts(options: StubCommandOptions): void {
  for (const [index, [option, name]] of PORTS.entries()) {
    const other = PORTS.slice(0, index).find(([, earlier]) => options[earlier] === options[name])
    if (options[name] === 0 || other === undefined) continue
    throw new BreakwaterError(`${other[0]} and ${option} are both ${options[name]}`, {
      hint: 'Each of the three listeners needs a port of its own; 0 stands for any that is free.',
    })
  }
}
