import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS, type Deployment } from '../../simulator/choices/choices.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { CONTROL_TOKEN_ENV, readNewStubToken } from '../control-api.ts'
import { loadFaults, readDumpFile, throwMisfit } from '../given-files.ts'
import { type Io, throwIfInterrupted, untilInterrupted } from '../io.ts'
import { findMutant } from '../runs/plan.ts'
import { createStubCertificate, withCaFile, writeProfile } from '../stub/write-profile.ts'

export type StubCommandOptions = {
  io: Io
  world: string
  seed: number
  choices: ChoiceSetName
  /** Dump file, instead of world and seed. */
  fromDump?: string
  mutant?: string
  /** IP address of REST API and feed. */
  host: string
  port: number
  feedPort: number
  controlPort: number
  tls?: true
  profile?: string
  /** Name or file of a fault plan. */
  faults?: string
  /** REST requests per second; default: unlimited. */
  serviceRate?: number
  /** Events per second of each gateway node; default: unlimited. */
  fanOutRate?: number
  /** Open feed sockets; default: unlimited. */
  maxSockets?: number
  /** Overrides the deployment of the choices, like the next two. */
  replicas?: number
  /** Milliseconds. */
  replicaLag?: number
  gateways?: number
  /** Milliseconds between restarts; default: none. */
  rollingRestart?: number
  /** Default: true. */
  observer?: boolean
  /** Default: true. */
  rateLimit?: boolean
  showTokens?: true
  json?: true
}

/**
 * Runs until it is interrupted, even after its output is closed, then closes every socket with 1012. SIGTERM is a success. Throws a
 * BreakwaterError: usage for a bad option, dump or fault plan, environment for a port that is unavailable.
 */
export async function runStub(options: StubCommandOptions): Promise<ExitCode> {
  const { io, fromDump } = options
  checkPorts(options)
  const controlToken = readNewStubToken(io.env)
  const faults = options.faults === undefined ? undefined : await loadFaults(options.faults, io.cwd)
  const certificate = options.tls ? await createStubCertificate(options) : null
  const stub = await startStub({
    world: options.world,
    seed: options.seed,
    choices: options.choices,
    ...(fromDump !== undefined && {
      load: { dump: readDumpFile(resolve(io.cwd, fromDump), fromDump), source: fromDump },
    }),
    mutant: findMutant(options.mutant)?.name ?? null,
    host: options.host,
    ...(certificate && { tls: certificate.identity }),
    restPort: options.port,
    feedPort: options.feedPort,
    controlPort: options.controlPort,
    ...(controlToken !== undefined && { controlToken }),
    ...(faults && { faults }),
    ...(options.serviceRate !== undefined && { serviceRate: options.serviceRate }),
    ...(options.fanOutRate !== undefined && { fanOutRate: options.fanOutRate }),
    ...(options.maxSockets !== undefined && { socketsMax: options.maxSockets }),
    deployment: buildDeployment(options),
    ...(options.rateLimit === false && { rateLimit: NO_RATE_LIMIT }),
    observer: options.observer ?? true,
    pace: 'real',
  }).catch((error: unknown) => throwMisfit(error, options.faults))
  try {
    throwIfInterrupted(io.interrupted)
    const ca = certificate?.ca ?? null
    const { profile: profileFile, serviceRate, fanOutRate, maxSockets } = options
    const { observer, showTokens = io.terminal.stdout } = options
    const serve = async (caFile: string | null) => {
      const lines = options.json
        ? [JSON.stringify(introductionJson(stub, { profileFile, caFile }))]
        : introduction(stub, options.choices, {
            profileFile,
            caFile,
            faults,
            serviceRate,
            fanOutRate,
            maxSockets,
            observer,
            showTokens,
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

function buildDeployment(options: StubCommandOptions): Partial<Deployment> {
  const { choices, replicas, replicaLag, gateways, rollingRestart } = options
  if (replicaLag !== undefined && (replicas ?? CHOICE_SETS[choices].deployment.replicas) === 0) {
    throw new BreakwaterError('--replica-lag: no replicas to lag', {
      hint: 'Add --replicas, or use --choices replicated.',
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
      hint: 'Each of the three listeners needs its own port. 0 selects a free port.',
    })
  }
}

/** The output of `breakwater stub`: addresses, credentials and commands to try. */
export function introduction(
  stub: Stub,
  choices: ChoiceSetName,
  {
    profileFile,
    caFile = null,
    faults,
    serviceRate,
    fanOutRate,
    maxSockets,
    observer = true,
    showTokens = false,
  }: {
    profileFile?: string | undefined
    /** Certificate to trust; null for plain HTTP. */
    caFile?: string | null
    faults?: FaultPlan | undefined
    serviceRate?: number | undefined
    fanOutRate?: number | undefined
    maxSockets?: number | undefined
    observer?: boolean | undefined
    /** Includes tokens, and the commands to try, which need them. */
    showTokens?: boolean
  } = {},
): string[] {
  const { profile, wallets, apiTokens, controlToken } = stub
  const find = (role: Partial<Stub['wallets'][number]>) =>
    wallets.find((wallet) => wallet.admin === role.admin && wallet.hasAccess === role.hasAccess)?.address
  return [
    `REST     ${profile.baseUrl}  documentation: /docs, /openapi.json`,
    `feed     ${profile.wsUrl}/ws`,
    `control  ${profile.control}${showTokens ? `  token ${controlToken}` : ''}`,
    ...(caFile === null ? [] : [`ca       ${caFile}  CA certificate of REST API and feed`]),
    `wallets  ${wallets.length}; --profile FILE writes them with their private keys`,
    `         administrator   ${find({ admin: true, hasAccess: true })}`,
    `         with access     ${find({ admin: false, hasAccess: true })}`,
    `         without access  ${find({ admin: false, hasAccess: false })}`,
    `tokens   ${showTokens ? apiTokens.join(',') : 'hidden outside of a terminal; --show-tokens prints them'}`,
    ...nodeLines(stub.deployment),
    ...(faults === undefined ? [] : [`faults   ${faults.description}`]),
    ...(serviceRate === undefined
      ? []
      : [`queue    serves ${serviceRate} REST requests per second, one after another, in real time`]),
    ...(fanOutRate === undefined
      ? []
      : [`fan-out  each gateway node sends ${fanOutRate} events per second, in real time`]),
    ...(maxSockets === undefined ? [] : [`sockets  at most ${maxSockets}; further upgrades get 503`]),
    '',
    ...(showTokens
      ? [
          'Try:',
          ...linesToTry(stub, { choices, caFile, observer }).map((line) => `  ${line}`),
          ...(profileFile === undefined ? [] : [`  ${smokeLine(stub, profileFile)}`]),
          '',
        ]
      : []),
    'Press Ctrl-C to stop.',
  ]
}

/** Empty for a stub with one node of each kind. */
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

/** Secrets come only from the environment. The control token lets smoke move the clock instead of waiting. */
function smokeLine({ apiTokens, controlToken, profile }: Stub, file: string): string {
  const { env } = profile.credentials.apiTokens
  const secrets = `${CONTROL_TOKEN_ENV}=${controlToken} ${env}=${apiTokens.join(',')}`
  return `${secrets} npx breakwater smoke --target ${shellQuoted(file)}`
}

/** Prints events of the busiest pool until the ticket expires after a minute. Needs only Node. */
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

/** Quotes any text as one word of a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

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
