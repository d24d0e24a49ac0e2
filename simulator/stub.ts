/**
 * The stub exchange, whole: a seeded world on a virtual clock, the REST host, the live feed and the control API, each on a
 * listener of its own. Stubs share nothing, so several run in one process.
 */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { hostInUrl } from '../contract/addresses.ts'
import { BreakwaterError, EXIT, listenFailure } from '../contract/breakwater-error.ts'
import { type Profile, profileSchema, type Wallet, walletsSchema } from '../contract/profile.ts'
import { createActivityJournal } from './activity-journal.ts'
import { createAuth } from './auth/auth.ts'
import { type DemoWallet, demoWallets } from './auth/wallets.ts'
import { CHOICE_SETS, type Choices, type Deployment } from './choices/choices.ts'
import { overTls, publicPathsOf } from './choices/plain.ts'
import { type Clock, createClock } from './clock.ts'
import { buildControl } from './control/control.ts'
import { deviateFeed } from './deviations/deviate-feed.ts'
import { deviateRest } from './deviations/deviate-rest.ts'
import { deviateAuth } from './deviations/deviation.ts'
import type { RateLimit } from './exchange/access/rate-limit.ts'
import { buildExchange } from './exchange/exchange.ts'
import { secretInUrl } from './exchange/requests/observe-requests.ts'
import type { Readiness } from './exchange/routes/health.ts'
import { createFaults } from './faults/faults.ts'
import { describeFeed } from './gateway/feed-protocol.ts'
import { createGateway } from './gateway/gateway.ts'
import { restartInTurn, restNodes, shareConnections } from './http/node-connections.ts'
import { transportsOf } from './http/transports.ts'
import { deviationOf } from './mutants/mutants.ts'
import { createObserving } from './observer/observing.ts'
import { createRandom, type Random } from './random.ts'
import { STATED_LIMITS } from './stub-limits.ts'
import type { StubOptions } from './stub-options.ts'
import { BLOCKS_KEPT, createChainNode, createRecentBlocks, type RecentBlocks } from './world/chain-node.ts'
import { type Pace, paceClock } from './world/pace.ts'
import { createReplicas, shareReads } from './world/replica.ts'
import { createWorld, loadWorld, type World } from './world/world.ts'
import { loadWorldFixture, startMsOf } from './world-fixture.ts'

export type Stub = {
  profile: Profile
  wallets: readonly Wallet[]
  /** Secrets of two wallets that have access. */
  apiTokens: readonly string[]
  controlToken: string
  world: World
  /** As the options and the choices have it. */
  deployment: Deployment
  /** Ends every connection; nothing is left open. */
  close(): Promise<void>
}

const DEFAULT_RATE_LIMIT: RateLimit = { burst: 2000, perSecond: 1000, per: 'credential' }
const WALLET_COUNT = 22
const LOOPBACK = '127.0.0.1'

/**
 * Throws BreakwaterError: usage where the world is unknown or malformed, the dump is none, or the fault plan does not fit,
 * environment where a port cannot be had.
 */
export async function startStub(options: StubOptions): Promise<Stub> {
  const { rateLimit = DEFAULT_RATE_LIMIT, host = LOOPBACK, tls } = options
  const deviation = deviationOf(options.mutant)
  const limits = { ...STATED_LIMITS, ...deviation?.limits }
  const logging = options.log && { log: options.log }
  const set = CHOICE_SETS[options.choices ?? 'plain']
  const [choices, secure] = tls ? [overTls(set), 's'] : [set, '']
  const { world, random, wallets, blocks } = openWorld(options)
  const { clock } = world
  const journal = createActivityJournal({ clock })
  const node = createChainNode({ world, blocks })
  const deployment = { ...choices.deployment, ...options.deployment }
  const replicas = createReplicas({ world, blocks })
  const replica = shareReads(replicas, {
    count: deployment.replicas,
    lagMs: deployment.replicaLagMs,
    stream: random.stream('exchange/replicas'),
  })
  const faults = createFaults({
    clock,
    world,
    feed: () => gateway.faulty,
    record: journal.record,
    follow: replicas.add,
    routes: () => exchange.routeNames,
  })
  const auth = deviateAuth(
    createAuth({ clock, random, wallets, choices, limits, isSigned: deviation?.isSigned, faults }),
    deviation,
    { clock, choices, wallets },
  )
  const observing =
    options.observer === false
      ? null
      : createObserving({ clock, journal, pools: world.views.pools, choices, pace: options.pace })
  // Guards the control API, so not from the seed, which anybody may know.
  const controlToken = options.controlToken ?? randomBytes(32).toString('base64url')

  const { sync, stop } = PACES[options.pace](clock)
  let readiness: Readiness = 'starting'
  const name = hostInUrl(host)
  let feedAddress = ''
  const gateway = createGateway({
    world,
    auth,
    clock,
    choices,
    limits,
    wiring: deviateFeed(deviation, { choices, clock }),
    nodes: deployment.gateways,
    faults,
    sync,
    ...(tls && { tls }),
    ...(observing && {
      record: journal.record,
      observing: {
        ...observing,
        credentials: auth,
        secretInUrl: (url: string) => secretInUrl(url, { auth, csrfToken: undefined }),
      },
    }),
    ...logging,
  })
  const exchange = await buildExchange({
    world,
    replica,
    auth,
    node,
    choices,
    limits,
    extend: (app) => deviateRest(app, { deviations: deviation?.rest ?? [], auth, choices, clock }),
    rateLimit: deviation?.rateLimit ?? rateLimit,
    ...(tls && { tls }),
    ...(options.serviceRate !== undefined && { serviceRate: options.serviceRate }),
    faults,
    feed: gateway,
    readiness: () => readiness,
    ...(observing && { record: journal.record, observing }),
    asyncApi: () => describeFeed({ choices, address: feedAddress }),
    ...logging,
  })
  world.include({ name: 'auth', save: auth.save, restore: auth.restore })
  world.include({ name: 'feed', save: () => null, restore: gateway.requireResync })
  if (observing) world.include({ name: 'observer', save: () => null, restore: observing.forget })
  const apiTokens = wallets.slice(1, 3).map(({ address }) => auth.issueApiToken({ address, name: 'demo' }))
  const beside = world.saveBeside()
  // Megabytes, which are made anew with the world.
  world.include({ name: 'blocks', save: blocks.save, restore: blocks.restore })
  world.include({ name: 'replicas', save: () => null, restore: replicas.restart })
  const applyOwnFaults = () => {
    if (options.faults) faults.apply(options.faults)
  }
  const reset = () => {
    faults.clear()
    const anew = openWorld(options)
    world.startOver(anew.world, beside)
    blocks.restore(anew.blocks.save())
    replicas.restart()
    applyOwnFaults()
  }
  const control = buildControl({
    world,
    node,
    wire: choices.wire,
    gateway,
    clock,
    journal,
    faults,
    observer: observing?.observer ?? null,
    reset,
    token: controlToken,
    ...logging,
  })
  // Ahead of all hooks, so that limits and lifetimes are judged by the time of the request.
  for (const { server } of [exchange, control]) server.prependListener('request', sync)
  if (deployment.rollingRestartMs !== null) {
    const nodes = restNodes(deployment)
    const rest = shareConnections(exchange.server, { nodes })
    const restartGateway = (each: number) => void (each <= gateway.nodes && gateway.restart(each))
    restartInTurn({ clock, everyMs: deployment.rollingRestartMs, nodes, rest, restartGateway })
  }
  world.start()
  readiness = 'ready'

  const close = async () => {
    readiness = 'closing'
    stop()
    world.stop()
    // What they hold back would hold up the end.
    faults.clear()
    // The REST host says so for as long as sockets take to end.
    await gateway.close()
    await Promise.all([closeServer(exchange), closeServer(control)])
  }
  const listenAll = async () => {
    await exchange.ready()
    applyOwnFaults()
    const feed = await listen('--feed-port', options.feedPort, (port) => gateway.listen({ host, port }))
    feedAddress = `ws${secure}://${name}:${feed}`
    return {
      rest: await listen('--port', options.restPort, (port) => listenServer(exchange, { host, port })),
      control: await listen('--control-port', options.controlPort, (port) =>
        listenServer(control, { host: LOOPBACK, port }),
      ),
    }
  }
  const ports = await listenAll().catch(async (error: unknown) => {
    await close()
    throw error
  })

  return {
    profile: profileSchema.parse({
      name: 'stub',
      baseUrl: `http${secure}://${name}:${ports.rest}`,
      wsUrl: feedAddress,
      control: `http://${LOOPBACK}:${ports.control}`,
      metrics: `http${secure}://${name}:${ports.rest}/metrics`,
      choices: { ...choices.profile, publicPaths: publicPathsOf(choices), rateLimit },
      allow: { load: true, mutations: true },
    }),
    wallets: walletsSchema.parse(wallets.map((wallet) => shownWallet(wallet, choices))),
    apiTokens,
    controlToken,
    world,
    deployment,
    close,
  }
}

type Opened = { world: World; random: Random; wallets: readonly DemoWallet[]; blocks: RecentBlocks }

/** Wallets are of the world's seed, wherever it came from. In one that was dumped by a chain alone they own nothing. */
function openWorld({ world: name, seed, load }: StubOptions): Opened {
  const blocks = createRecentBlocks({ countMax: BLOCKS_KEPT })
  const onMined = blocks.add
  if (load) {
    const { world, random, origin } = loadWorld({ ...load, onMined })
    return { world, random, wallets: walletsOf(origin.seed), blocks }
  }
  const fixture = loadWorldFixture(name)
  const wallets = walletsOf(seed)
  const accounts = wallets.map(({ address }) => address)
  const random = createRandom(seed)
  const clock = createClock({ startMs: startMsOf(fixture) })
  const world = createWorld({ fixture, seed, random, clock, accounts, onMined })
  return { world, random, wallets, blocks }
}

function walletsOf(seed: number): readonly DemoWallet[] {
  return demoWallets({ random: createRandom(seed), count: WALLET_COUNT })
}

const PACES: Record<StubOptions['pace'], (clock: Clock) => Pace> = {
  real: paceClock,
  manual: () => ({ sync() {}, stop() {} }),
}

async function listen(
  option: string,
  port: number | undefined,
  open: (port: number) => Promise<number>,
): Promise<number> {
  try {
    return await open(port ?? 0)
  } catch (cause) {
    const { reason, hint } = listenFailure(cause, { host: '--host', port: option })
    throw new BreakwaterError(`${option} ${port ?? 0}: ${reason}`, {
      hint,
      exitCode: EXIT.environment,
      cause,
    })
  }
}

async function listenServer(app: FastifyInstance, at: { host: string; port: number }): Promise<number> {
  transportsOf(app.server)
  await app.listen(at)
  return (app.server.address() as AddressInfo).port // as: it listens on a port, not on a pipe
}

/** Cuts connections that are kept alive, or never sent a request: waiting for them would take a minute. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const closed = app.close()
  transportsOf(app.server).destroyAll()
  await closed
}

function shownWallet({ address, privateKeyJwk, hasAccess, admin }: DemoWallet, { wire }: Choices) {
  return { address: wire.address.encode(address), privateKeyJwk, hasAccess, admin }
}
