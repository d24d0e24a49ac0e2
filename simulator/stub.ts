/**
 * The complete stub exchange: a seeded world on a virtual clock, the REST host, the live feed and the control API, each on its
 * own listener. Stubs share nothing, so several run in one process.
 */
import { randomBytes } from 'node:crypto'
import { hostInUrl } from '../contract/addresses.ts'
import { type Profile, profileSchema, type Wallet, walletsSchema } from '../contract/profile.ts'
import { createActivityJournal } from './activity-journal.ts'
import { createAuth } from './auth/auth.ts'
import type { DemoWallet } from './auth/wallets.ts'
import type { ConfigChange } from './chain/transaction.ts'
import { decodeChangeKey } from './choices/change-key.ts'
import { CHOICE_SETS, type Choices, type Deployment } from './choices/choices.ts'
import { listPublicPaths, overTls } from './choices/default-choices.ts'
import type { Clock } from './clock.ts'
import { buildControl } from './control/control.ts'
import type { RateLimit } from './exchange/access/rate-limit.ts'
import { buildExchange } from './exchange/exchange.ts'
import { secretInUrl } from './exchange/requests/observe-requests.ts'
import type { Readiness } from './exchange/routes/health.ts'
import { createFaults, createHooks, type Faults } from './faults/faults.ts'
import { describeFeed } from './gateway/feed-protocol.ts'
import { createGateway } from './gateway/gateway.ts'
import { closeServer, listenAt, listenServer } from './http/listener.ts'
import { restartInTurn, restNodes, shareConnections } from './http/node-connections.ts'
import { deviateFeed } from './mutants/deviate-feed.ts'
import { deviateRest } from './mutants/deviate-rest.ts'
import { deviateAuth } from './mutants/deviation.ts'
import { findDeviation } from './mutants/mutants.ts'
import { createObserving } from './observer/observing.ts'
import { openWorld } from './open-world.ts'
import type { StubOptions } from './stub-options.ts'
import { STATED_LIMITS } from './stub-options.ts'
import { createChainNode } from './world/chain-node.ts'
import { type Pace, paceClock } from './world/pace.ts'
import { createReplicas, shareReads } from './world/replica.ts'
import type { World } from './world/world.ts'

export type Stub = {
  profile: Profile
  wallets: readonly Wallet[]
  /** Secrets of two wallets that have access. */
  apiTokens: readonly string[]
  controlToken: string
  world: World
  deployment: Deployment
  /** For programs that run in the same process. */
  inProcess: Pick<Parts, 'auth' | 'journal' | 'observing'> &
    Pick<Servers, 'exchange' | 'gateway' | 'faults' | 'reset'>
  close(): Promise<void>
}

const DEFAULT_RATE_LIMIT: RateLimit = { burst: 2000, perSecond: 1000, per: 'credential' }
const LOOPBACK = '127.0.0.1'

/**
 * Throws BreakwaterError: usage if the world is unknown or malformed, the dump is invalid, or the fault plan does not fit;
 * environment if a port is unavailable.
 */
export async function startStub(options: StubOptions): Promise<Stub> {
  const parts = buildParts(options)
  const servers = await buildServers(options, parts)
  return listenAll(options, parts, servers)
}

type Parts = ReturnType<typeof buildParts>

function buildParts(options: StubOptions) {
  const deviation = findDeviation(options.mutant)
  const limits = { ...STATED_LIMITS, ...deviation?.limits }
  const set = CHOICE_SETS[options.choices ?? 'default']
  const choices = options.tls ? overTls(set) : set
  const { world, random, wallets, blocks } = openWorld(options)
  const { clock } = world
  const journal = createActivityJournal({ clock })
  const hooks = createHooks()
  const isSigned = deviation?.isSigned
  const auth = deviateAuth(
    createAuth({ clock, random, wallets, choices, limits, isSigned, faults: hooks }),
    deviation,
    { clock, choices, wallets },
  )
  return {
    deviation,
    limits,
    choices,
    deployment: { ...choices.deployment, ...options.deployment },
    world,
    random,
    wallets,
    blocks,
    clock,
    journal,
    hooks,
    auth,
    node: createChainNode({ world, blocks }),
    replicas: createReplicas({ world, blocks }),
    observing:
      options.observer === false
        ? null
        : createObserving({ clock, journal, pools: world.views.pools, choices, pace: options.pace }),
    pace: PACES[options.pace](clock),
    // Guards the control API, so not from the seed, which is not secret.
    controlToken: options.controlToken ?? randomBytes(32).toString('base64url'),
    life: { readiness: 'starting' as Readiness },
  }
}

type Servers = Awaited<ReturnType<typeof buildServers>>

/** Builds the gateway, the exchange and the control API, with the faults and the reset that act on them. */
async function buildServers(options: StubOptions, parts: Parts) {
  const { deviation, limits, choices, deployment, world, clock, journal, hooks, auth, observing } = parts
  const { tls, serviceRate, fanOutRate, socketsMax, rateLimit = DEFAULT_RATE_LIMIT } = options
  const shared = {
    world,
    auth,
    choices,
    limits,
    faults: hooks,
    ...(tls && { tls }),
    ...(options.log && { log: options.log }),
  }
  const gateway = createGateway({
    ...shared,
    clock,
    wiring: deviateFeed(deviation, { choices, clock }),
    nodes: deployment.gateways,
    ...(fanOutRate !== undefined && { fanOutRate }),
    ...(socketsMax !== undefined && { socketsMax }),
    sync: parts.pace.sync,
    ...(observing && {
      record: journal.record,
      observing: {
        ...observing,
        credentials: auth,
        secretInUrl: (url: string) => secretInUrl(url, { auth, csrfToken: undefined }),
      },
    }),
  })
  const exchange = await buildExchange({
    ...shared,
    node: parts.node,
    replica: shareReads(parts.replicas, {
      count: deployment.replicas,
      lagMs: deployment.replicaLagMs,
      stream: parts.random.stream('exchange/replicas'),
    }),
    steps: deviateRest({ deviations: deviation?.rest ?? [], auth, choices, clock }),
    rateLimit: deviation?.rateLimit ?? rateLimit,
    ...(serviceRate !== undefined && { serviceRate }),
    feed: gateway,
    readiness: () => parts.life.readiness,
    ...(observing && { record: journal.record, observing }),
    asyncApi: () => describeFeed({ choices, address: gateway.url() }),
  })
  /** Takes the keys of changes as clients see them. */
  const steered = {
    ...world,
    changeConfig: (change: ConfigChange) =>
      world.changeConfig({ ...change, key: decodeChangeKey(change, choices.wire) }),
  }
  const faults = createFaults({
    clock,
    world: steered,
    active: hooks,
    feed: gateway.faulty,
    record: journal.record,
    follow: parts.replicas.add,
    routes: exchange.routeNames,
  })
  world.include({ name: 'auth', save: auth.save, restore: auth.restore })
  world.include({ name: 'feed', save: () => null, restore: gateway.requireResync })
  if (observing) world.include({ name: 'observer', save: () => null, restore: observing.forget })
  // After a dump has been restored into `auth`.
  const apiTokens = parts.wallets
    .slice(1, 3)
    .map(({ address }) => auth.issueApiToken({ address, name: 'demo' }))
  const reset = createReset(options, parts, faults)
  const control = buildControl({
    world: steered,
    node: parts.node,
    wire: choices.wire,
    gateway,
    clock,
    journal,
    faults,
    observer: observing?.observer ?? null,
    reset,
    token: parts.controlToken,
    ...(options.log && { log: options.log }),
  })
  // Before all hooks, so that limits and lifetimes use the time of the request.
  for (const { server } of [exchange, control]) server.prependListener('request', parts.pace.sync)
  if (deployment.rollingRestartMs !== null) {
    const nodes = restNodes(deployment)
    const rest = shareConnections(exchange.server, { nodes })
    const restartGateway = (each: number) => void (each <= gateway.nodes && gateway.restart(each))
    restartInTurn({ clock, everyMs: deployment.rollingRestartMs, nodes, rest, restartGateway })
  }
  return { gateway, exchange, faults, control, reset, apiTokens }
}

function createReset(options: StubOptions, { world, blocks, replicas }: Parts, faults: Faults): () => void {
  const context = world.saveContext()
  // Megabytes, rebuilt with the world.
  world.include({ name: 'blocks', save: blocks.save, restore: blocks.restore })
  world.include({ name: 'replicas', save: () => null, restore: replicas.restart })
  return () => {
    faults.clear()
    const again = openWorld(options)
    world.startOver(again.world, context)
    blocks.restore(again.blocks.save())
    replicas.restart()
    if (options.faults) faults.apply(options.faults)
  }
}

async function listenAll(options: StubOptions, parts: Parts, servers: Servers): Promise<Stub> {
  const { world, choices, deployment, wallets, controlToken, life } = parts
  const { gateway, exchange, faults, control, apiTokens } = servers
  const { host = LOOPBACK, rateLimit = DEFAULT_RATE_LIMIT } = options
  const close = async () => {
    life.readiness = 'closing'
    parts.pace.stop()
    world.stop()
    // Delayed responses would delay the shutdown.
    faults.clear()
    // The REST host reports "closing" while sockets end.
    await gateway.close()
    await Promise.all([closeServer(exchange), closeServer(control)])
  }
  const open = async () => {
    world.start()
    life.readiness = 'ready'
    await exchange.ready()
    if (options.faults) faults.apply(options.faults)
    await listenAt('--feed-port', options.feedPort, (port) => gateway.listen({ host, port }))
    return {
      rest: await listenAt('--port', options.restPort, (port) => listenServer(exchange, { host, port })),
      control: await listenAt('--control-port', options.controlPort, (port) =>
        listenServer(control, { host: LOOPBACK, port }),
      ),
    }
  }
  const ports = await open().catch(async (error: unknown) => {
    await close()
    throw error
  })
  const baseUrl = `http${options.tls ? 's' : ''}://${hostInUrl(host)}:${ports.rest}`
  return {
    profile: profileSchema.parse({
      name: 'stub',
      baseUrl,
      wsUrl: gateway.url(),
      control: `http://${LOOPBACK}:${ports.control}`,
      metrics: `${baseUrl}/metrics`,
      choices: { ...choices.profile, publicPaths: listPublicPaths(choices), rateLimit },
      allow: { load: true, mutations: true },
    }),
    wallets: walletsSchema.parse(wallets.map((wallet) => shownWallet(wallet, choices))),
    apiTokens,
    controlToken,
    world,
    deployment,
    inProcess: { ...parts, ...servers },
    close,
  }
}

const PACES: Record<StubOptions['pace'], (clock: Clock) => Pace> = {
  real: paceClock,
  manual: () => ({ sync() {}, stop() {} }),
}

function shownWallet({ address, privateKeyJwk, hasAccess, admin }: DemoWallet, { wire }: Choices) {
  return { address: wire.address.encode(address), privateKeyJwk, hasAccess, admin }
}
