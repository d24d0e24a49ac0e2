/** `breakwater stub`: the stub exchange alone, for people who develop or debug a client of the exchange. */
import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS, type Deployment } from '../../simulator/choices/choices.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { CONTROL_TOKEN_ENV, givenControlToken } from '../control-api.ts'
import { loadFaults, readDumpFile, throwMisfit } from '../given-files.ts'
import { type Io, throwIfInterrupted, untilInterrupted } from '../io.ts'
import { findMutant } from '../runs/plan.ts'
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

/** What `breakwater stub` prints: where everything is, and lines to try, which work as they stand. */
export function introduction(
  stub: Stub,
  choices: ChoiceSetName,
  {
    profileFile,
    caFile = null,
    faults,
    serviceRate,
    observer = true,
    hideTokens = false,
  }: {
    profileFile?: string | undefined
    /** The certificate to trust; null: the stub speaks plain HTTP. */
    caFile?: string | null
    faults?: FaultPlan | undefined
    serviceRate?: number | undefined
    observer?: boolean | undefined
    /** For a log that others may read: no token is printed, and no line that needs one. */
    hideTokens?: boolean | undefined
  } = {},
): string[] {
  const { profile, wallets, apiTokens, controlToken } = stub
  const find = (role: Partial<Stub['wallets'][number]>) =>
    wallets.find((wallet) => wallet.admin === role.admin && wallet.hasAccess === role.hasAccess)?.address
  return [
    `REST     ${profile.baseUrl}  described at /docs, and at /openapi.json for machines`,
    `feed     ${profile.wsUrl}/ws`,
    `control  ${profile.control}${hideTokens ? '' : `  token ${controlToken}`}`,
    ...(caFile === null ? [] : [`ca       ${caFile}  to be trusted for REST and feed`]),
    `wallets  ${wallets.length}; --profile FILE writes them with their keys`,
    `         administrator   ${find({ admin: true, hasAccess: true })}`,
    `         with access     ${find({ admin: false, hasAccess: true })}`,
    `         without access  ${find({ admin: false, hasAccess: false })}`,
    `tokens   ${hideTokens ? 'not printed' : apiTokens.join(',')}`,
    ...nodeLines(stub.deployment),
    ...(faults === undefined ? [] : [`faults   ${faults.description}`]),
    ...(serviceRate === undefined
      ? []
      : [`queue    serves ${serviceRate} REST requests a second, one after another, by real time`]),
    '',
    ...(hideTokens
      ? []
      : [
          'Try:',
          ...linesToTry(stub, { choices, caFile, observer }).map((line) => `  ${line}`),
          ...(profileFile === undefined ? [] : [`  ${smokeLine(stub, profileFile)}`]),
          '',
        ]),
    'Ctrl-C ends it.',
  ]
}

/** Nothing of a stub that is one node of each kind. */
function nodeLines({ replicas, replicaLagMs, gateways, rollingRestartMs }: Stub['deployment']): string[] {
  const parts = [
    ...(replicas === 0 ? [] : [`replicas for public reads: ${replicas}, up to ${replicaLagMs} ms behind`]),
    ...(gateways === 1 ? [] : [`gateway nodes: ${gateways}`]),
    ...(rollingRestartMs === null ? [] : [`one restarts every ${rollingRestartMs / 1000} s, in turn`]),
  ]
  return parts.length === 0 ? [] : [`nodes    ${parts.join('; ')}`]
}

function linesToTry(
  stub: Stub,
  { choices, caFile, observer }: { choices: ChoiceSetName; caFile: string | null; observer: boolean },
): string[] {
  const { profile, apiTokens, controlToken } = stub
  const bearer = (token: string | undefined) => `-H 'Authorization: Bearer ${token}'`
  const cacert = caFile === null ? '' : `--cacert ${shellQuoted(caFile)} `
  const extraCa = caFile === null ? '' : `NODE_EXTRA_CA_CERTS=${shellQuoted(caFile)} `
  return [
    `curl ${cacert}'${profile.baseUrl}/explore/pools?limit=2'`,
    `curl ${cacert}${bearer(apiTokens[0])} '${profile.baseUrl}/swaps?limit=1'`,
    `curl ${bearer(controlToken)} ${profile.control}/status`,
    ...(observer
      ? [`${CONTROL_TOKEN_ENV}=${controlToken} npx breakwater observe --control ${profile.control}`]
      : []),
    `${extraCa}node --experimental-websocket --input-type=module -e ${shellQuoted(feedProgram(stub, choices))}`,
  ]
}

/** Secrets come from the environment only. Without the control token time passes by waiting. */
function smokeLine({ apiTokens, controlToken, profile }: Stub, file: string): string {
  const { env } = profile.credentials.apiTokens
  const secrets = `${CONTROL_TOKEN_ENV}=${controlToken} ${env}=${apiTokens.join(',')}`
  return `${secrets} npx breakwater smoke --target ${shellQuoted(file)}`
}

/** Prints what happens in the pool with most volume, until the ticket expires after a minute. Needs nothing but Node. */
function feedProgram({ profile, apiTokens, world }: Stub, choices: ChoiceSetName): string {
  const [busiest] = world.views.explorePools({
    window: '1d',
    sort: 'volumeUsd',
    order: 'desc',
    limit: 1,
    offset: 0,
  }).rows
  const key = CHOICE_SETS[choices].wire.poolKey.encode(busiest?.pool.key ?? '')
  const frames = [
    `{ action: "authenticate", token: body.${profile.choices.wsTicket.ticket} }`,
    `{ action: "subscribe", room: ${JSON.stringify(`trades:${key}`)} }`,
    '{ action: "synchronize" }',
  ]
  return [
    `const headers = { authorization: "Bearer ${apiTokens[0]}" };`,
    `const body = await (await fetch("${profile.baseUrl}/auth/ws-ticket", { headers })).json();`,
    `const ws = new WebSocket("${profile.wsUrl}/ws");`,
    'ws.onmessage = ({ data }) => console.log(data);',
    `ws.onopen = () => [${frames.join(', ')}].forEach((frame) => ws.send(JSON.stringify(frame)))`,
  ].join(' ')
}

/** As one word of a POSIX shell, whatever is in it. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** What `breakwater stub --json` prints, once, when it serves: where everything is, and the credentials for it. */
function introductionJson(
  { profile, wallets, apiTokens, controlToken }: Stub,
  { profileFile, caFile }: { profileFile: string | undefined; caFile: string | null },
) {
  return {
    name: profile.name,
    baseUrl: profile.baseUrl,
    wsUrl: profile.wsUrl,
    control: profile.control,
    controlToken,
    apiTokens,
    wallets: wallets.map(({ address, admin, hasAccess }) => ({ address, admin, hasAccess })),
    profile: profileFile ?? null,
    ca: caFile,
  }
}
