/** For tests: an exchange over a test world, and a client of it that keeps cookies as a browser does. */
import { createPrivateKey, sign } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import { createAuth } from '../auth/auth.ts'
import { type DemoWallet, demoWallets } from '../auth/wallets.ts'
import type { Choices } from '../choices/choices.ts'
import { defaultChoices } from '../choices/default-choices.ts'
import { createClock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import { HTTP_BOUNDS, type HttpBounds } from '../http/listener.ts'
import { deviateRest } from '../mutants/deviate-rest.ts'
import { type Deviation, deviateAuth } from '../mutants/deviation.ts'
import { findDeviation, type MutantName } from '../mutants/mutants.ts'
import { createRandom } from '../random.ts'
import { STATED_LIMITS } from '../stub-options.ts'
import type { ChainNode } from '../world/chain-node.ts'
import type { RateLimit } from './access/rate-limit.ts'
import { buildExchange } from './exchange.ts'
import type { FeedFigures } from './requests/metrics.ts'
import type { Readiness } from './routes/health.ts'
import { createTestWorld, type TestWorld } from './test-world.ts'

type BedWorld = Pick<TestWorld, 'clock' | 'views' | 'include'> & { node?: ChainNode }

type BedOptions = {
  mutant?: MutantName | null
  deviation?: Deviation
  choices?: Choices
  rateLimit?: RateLimit
  http?: HttpBounds
  world?: BedWorld
  turn?: () => Promise<void>
  faults?: { readonly hooks: Pick<Faults['hooks'], 'request' | 'response' | 'lifetime' | 'permission'> }
  feed?: FeedFigures
  readiness?: () => Readiness
}

export type Call = {
  method?: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'OPTIONS'
  body?: object | string
  headers?: Record<string, string>
  cookies?: Record<string, string>
}

export type SignedIn = { cookies: Record<string, string>; csrfToken: string; headers: Record<string, string> }

/** For a world whose tests read only the index. */
const NO_NODE = new Proxy({} as ChainNode, {
  get() {
    throw new Error('this world has no node: pass a test world to the test bed')
  },
})

const NO_FEED: FeedFigures = { sockets: () => [], events: () => ({ sent: 0, dropped: 0 }) }

const PLENTY: RateLimit = { burst: 100_000, perSecond: 100_000, per: 'credential' }

/** Creates the exchange with three wallets: an administrator, a trader, and one without access. Closed with the test. */
export async function createTestBed(options: BedOptions = {}) {
  const { mutant = null, choices = defaultChoices, rateLimit = PLENTY, world = standingWorld() } = options
  const { http = HTTP_BOUNDS, turn, faults, feed = NO_FEED, readiness = () => 'ready' as const } = options
  const { deviation = findDeviation(mutant) } = options
  const limits = { ...STATED_LIMITS, ...deviation?.limits }
  const { clock, views, node = NO_NODE } = world
  const random = createRandom(1)
  const [admin, trader, stranger] = demoWallets({ random, count: 3 })
  if (!admin || !trader || !stranger) throw new Error('expected three wallets')
  const wallets = [admin, trader, stranger]
  const { isSigned } = deviation ?? {}
  const plainAuth = createAuth({
    clock,
    random,
    wallets,
    choices,
    limits,
    isSigned,
    ...(faults && { faults }),
  })
  const auth = deviateAuth(plainAuth, deviation, { clock, choices, wallets })
  const logLines: string[] = []
  const log = (line: string) => logLines.push(line)
  const app = await buildExchange({
    world,
    auth,
    node,
    choices,
    limits,
    steps: deviateRest({ deviations: deviation?.rest ?? [], auth, choices, clock }),
    rateLimit: deviation?.rateLimit ?? rateLimit,
    feed,
    readiness,
    log,
    http,
    ...(turn && { turn }),
    ...(faults && { faults }),
  })

  const undocumented = findUndocumented(app)

  const call = async (url: string, { method = 'GET', body, headers = {}, cookies = {} }: Call = {}) => {
    const response = await app.inject({
      url,
      method,
      headers,
      cookies,
      ...(body !== undefined && { payload: body }),
    })
    if (undocumented.length > 0) throw new Error(undocumented.join('\n'))
    return response
  }
  const challenge = async (address: string): Promise<string> =>
    (await call('/auth/challenge', { method: 'POST', body: { address } })).json().data.message
  const verify = async (wallet: DemoWallet) => {
    const address = choices.wire.address.encode(wallet.address)
    const signature = signMessage(wallet, await challenge(address), choices.profile.signature.encoding)
    return call('/auth/verify', { method: 'POST', body: { address, signature } })
  }
  const signIn = async (wallet: DemoWallet = trader): Promise<SignedIn> => {
    const response = await verify(wallet)
    const csrfToken = String(at(response.json(), choices.profile.verify.csrfToken))
    return { cookies: readCookies(response), csrfToken, headers: { 'x-csrf-token': csrfToken } }
  }
  const bearer = (wallet: DemoWallet = trader) => ({
    headers: { authorization: `Bearer ${auth.issueApiToken({ address: wallet.address, name: 'bot' })}` },
  })

  return {
    app,
    auth,
    clock,
    views,
    random,
    logLines,
    choices,
    wallets: { admin, trader, stranger },
    call,
    challenge,
    verify,
    signIn,
    bearer,
  }
}

/** Collects errors with a status that is not in their route's schema. */
function findUndocumented(app: FastifyInstance): string[] {
  const found: string[] = []
  app.addHook('onSend', async ({ is404, method, routeOptions: { url, schema } }, { statusCode }) => {
    const documented = Object.keys(schema?.response ?? {})
    if (!is404 && statusCode >= 400 && !documented.includes(String(statusCode))) {
      found.push(`${method} ${url} returned ${statusCode}, its schema has ${documented.join(', ')}`)
    }
  })
  app.addHook('preSerialization', async ({ method, routeOptions: { url, schema } }, { statusCode }, body) => {
    const documented = (schema?.response as Record<number, unknown> | undefined)?.[statusCode]
    if (!(documented instanceof z.ZodType)) return body
    const { data, error } = z.safeEncode(documented, body)
    const problem = error ? z.prettifyError(error) : 'it has fields that the schema lacks'
    if (error || !isDeepStrictEqual(asJson(data), asJson(body))) {
      found.push(`${method} ${url}, ${statusCode}: the body does not fit its schema: ${problem}`)
    }
    return body
  })
  return found
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Creating a world is slow: test beds share one whose blocks never change, each with a clock and views of its own. */
function standingWorld(): BedWorld {
  standing ??= createTestWorld()
  const { clock, views, node } = standing
  const submit = () => {
    throw new Error('this world is shared and cannot change: pass a test world to the test bed')
  }
  return {
    clock: createClock({ startMs: clock.nowMs() }),
    views: { ...views },
    include() {},
    node: { ...node, submit },
  }
}

let standing: TestWorld | undefined

export type TestBed = Awaited<ReturnType<typeof createTestBed>>

export function signMessage(
  wallet: DemoWallet,
  message: string,
  encoding: 'hex' | 'base64' | 'base64url' = 'hex',
): string {
  const key = createPrivateKey({ key: wallet.privateKeyJwk, format: 'jwk' })
  return sign('sha256', Buffer.from(message, 'utf8'), { key, dsaEncoding: 'ieee-p1363' }).toString(encoding)
}

export function at(body: unknown, path: string): unknown {
  // as: any object has string keys
  return path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], body)
}

export function readCookies(response: LightMyRequestResponse): Record<string, string> {
  return Object.fromEntries(response.cookies.map(({ name, value }) => [name, value]))
}
