/**
 * Examples for the OpenAPI document: each operation is asked once, of a stub of its own, so they are what a stub really
 * answers, and cannot drift.
 */
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Wallet } from '../contract/profile.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { CHOICE_SETS, type Choices } from './choices/choices.ts'
import { type BrowserSession, signInAs, signMessage, valueAt } from './demo-client.ts'
import type { AccessLevel } from './exchange/access/access.ts'
import type { Example, Examples } from './exchange/openapi/openapi-routes.ts'
import type { Stub } from './stub.ts'
import type { StubOptions } from './stub-options.ts'

/** Beyond the seeds that a stub is started with, so that none has the secrets that the examples show. */
export const EXAMPLES_SEED = 2 ** 32

/** Takes as long as it takes to start a stub of the smallest world. */
export async function recordExamples(options: {
  startStub: (options: StubOptions) => Promise<Stub>
  choices: ChoiceSetName
}): Promise<Examples> {
  const { startStub, choices } = options
  const world = { world: 'tiny', seed: EXAMPLES_SEED, mutant: null, pace: 'manual' } as const
  const stub = await startStub({ ...world, choices, examples: 'none' })
  try {
    const recorder = await createRecorder(stub)
    // Of a block of the world's history, so that a stub of the same world knows it.
    const { hash } = stub.world.views.head()
    await signIn(recorder, stub)
    await write(recorder, stub, CHOICE_SETS[choices].wire)
    await read(recorder, stub, { block: hash, debug: CHOICE_SETS[choices].debug })
    await end(recorder, stub)
    return recorder.examples
  } finally {
    await stub.close()
  }
}

type Recorder = {
  operations: ReadonlyMap<string, Operation>
  examples: Map<string, Example>
  /** Asks and keeps what came; as whoever the operation is for, unless a session is given. Throws where it is refused. */
  ask(operation: string, values?: Values, session?: BrowserSession): Promise<unknown>
}
type Operation = OpenAPIV3_1.OperationObject & { 'x-access'?: AccessLevel }
type Values = Partial<Pick<Example, 'path' | 'query' | 'body'>>

async function createRecorder({ profile, wallets, apiTokens }: Stub): Promise<Recorder> {
  const described = await fetch(`${profile.baseUrl}/openapi.json`)
  if (!described.ok) throw new Error(`/openapi.json answered ${described.status}`)
  const operations = operationsOf((await described.json()) as OpenAPIV3_1.Document)
  const examples = new Map<string, Example>()
  const sessions = {
    session: await signInAs(walletOf(wallets, 'trader'), profile),
    admin: await signInAs(walletOf(wallets, 'administrator'), profile),
  }
  const credentials = (access: AccessLevel, session?: BrowserSession): Record<string, string> => {
    if (session) return headersOf(session)
    if (access === 'public') return {}
    return access === 'cred' ? { authorization: `Bearer ${apiTokens[0]}` } : headersOf(sessions[access])
  }

  return {
    operations,
    examples,
    async ask(name, { path = {}, query = {}, body } = {}, session) {
      const [method = '', template = ''] = name.split(' ')
      const url = template.replace(/\{(\w+)\}/g, (_, key) => encodeURIComponent(path[key] ?? ''))
      const access = operations.get(name)?.['x-access'] ?? 'session'
      const response = await fetch(`${profile.baseUrl}${url}?${new URLSearchParams(query)}`, {
        method,
        headers: { ...credentials(access, session), ...(body !== undefined && JSON_TYPE) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text}`)
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      const answer: unknown = isJson ? JSON.parse(text) : text
      examples.set(name, { path, query, body, status: response.status, answer })
      return answer
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function signIn({ ask }: Recorder, { profile, wallets }: Stub): Promise<void> {
  const wallet = walletOf(wallets, 'trader')
  const { address } = wallet
  const challenge = await ask('POST /auth/challenge', { body: { address } })
  const message = String(valueAt(challenge, 'data.message'))
  const signature = signMessage(wallet, message).toString(profile.choices.signature.encoding)
  await ask('POST /auth/verify', { body: { address, signature } })
}

/** What changes something, and what follows from it. */
async function write(
  { ask }: Recorder,
  { profile, wallets, world }: Stub,
  wire: Choices['wire'],
): Promise<void> {
  const { faucet, referral } = profile.choices
  const { address } = walletOf(wallets, 'trader')
  const wrapper = world.views.tokens().find(({ underlyingProgram }) => underlyingProgram !== null)
  const mint = { amm_token_program: wrapper?.ammTokenProgram, amount: '2500000', recipient: address }
  await ask('POST /api-tokens', { body: { name: 'trading bot', expires_in_days: 30 } })
  await ask('POST /tokens/mint', { body: mint })
  await ask(`POST ${faucet.path}`, { body: { [faucet.address ?? '']: address } })
  const codes = await ask('GET /referral/codes')
  const body = { [referral.code ?? '']: String(valueAt(codes, 'data.codes.0.code')) }
  await ask(`POST ${referral.attributionPath}`, { body })
  await ask(`POST ${referral.redeemPath}`, { body })
  const owner = wire.address.decode(address) ?? ''
  const hasPosition = () =>
    world.views.positions({ address: owner, viewer: owner, limit: 1, offset: 0 }).total > 0
  for (let blocks = 0; blocks < 2 || (!hasPosition() && blocks < BLOCKS_MAX); blocks++) world.mine(1)
}

/** Within so many blocks each wallet has opened a position; usually within a few dozen. */
const BLOCKS_MAX = 2000

/** Parameters have the same name wherever they mean the same; those that may be left out are, but for `limit`. */
async function read(
  { ask, operations }: Recorder,
  { profile }: Stub,
  { block: hash, debug }: { block: string; debug: Choices['debug'] },
): Promise<void> {
  const { positionsPath, balancesPath } = profile.choices
  const pools = await ask('GET /explore/pools', { query: { limit: '2' } })
  const block = await ask(`GET ${debug.prefix}/block/{block}`, { path: { block: hash } })
  const positions = await ask(`GET ${positionsPath}`)
  const ofPool = (name: string) => String(valueAt(pools, `data.0.${name}`))
  const program = 'exchange.program'
  const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [`GET ${debug.prefix}/transaction/{id}`]: { id: String(valueAt(block, 'data.transactions.0')) },
    [`GET ${debug.prefix}/program/{id}`]: { id: program },
    [`GET ${debug.prefix}/program/{id}/mapping/{mapping}/{key}`]: { id: program, mapping: 'pools' },
    [`GET ${positionsPath}/{token_id}`]: { token_id: String(valueAt(positions, 'data.0.token_id')) },
    [`GET ${balancesPath}/{token_id}`]: { token_id: ofPool('token0') },
  }
  const everywhere: Readonly<Record<string, string>> = {
    limit: '2',
    key: ofPool('key'),
    ticker_id: ofPool('key'),
    token_in: ofPool('token0'),
    token_out: ofPool('token1'),
    amount_in: '1000000',
    search: ofPool('token0Symbol'),
    block: hash,
  }
  for (const [name, operation] of operations) {
    if (!name.startsWith('GET ')) continue
    const values = { ...everywhere, ...own[name] }
    await ask(name, {
      path: parametersIn('path', operation, values),
      query: parametersIn('query', operation, values),
    })
  }
}

function parametersIn(
  place: string,
  { parameters = [] }: Operation,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const given: Record<string, string> = {}
  for (const parameter of parameters) {
    if ('$ref' in parameter || parameter.in !== place) continue
    const value = values[parameter.name]
    if (value !== undefined && (parameter.required || parameter.name === 'limit'))
      given[parameter.name] = value
  }
  return given
}

/** What ends a session or a token, each with one of its own. */
async function end({ ask, examples }: Recorder, { profile, wallets }: Stub): Promise<void> {
  const signIn = () => signInAs(walletOf(wallets, 'trader'), profile)
  const { sessions } = profile.choices
  const token = examples.get('POST /api-tokens')?.answer
  const [session] = [valueAt(examples.get('GET /auth/sessions')?.answer, sessions.list ?? '')].flat()
  await ask('DELETE /api-tokens/{id}', { path: { id: String(valueAt(token, 'data.id')) } })
  await ask('POST /auth/refresh', {}, await signIn())
  const ended = String(valueAt(session, sessions.id ?? ''))
  await ask('POST /auth/sessions/{session_id}/revoke', { path: { session_id: ended } }, await signIn())
  await ask('POST /auth/logout', {}, await signIn())
  await ask('POST /auth/logout-all', {}, await signIn())
}

function operationsOf({ paths = {} }: OpenAPIV3_1.Document): ReadonlyMap<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  )
}

function headersOf({ cookie, csrfToken }: BrowserSession): Record<string, string> {
  return { cookie, 'x-csrf-token': csrfToken }
}

function walletOf(wallets: Stub['wallets'], role: 'trader' | 'administrator'): Wallet {
  const wallet = wallets.find(({ hasAccess, admin }) => hasAccess && admin === (role === 'administrator'))
  if (!wallet) throw new Error(`the stub has no ${role}`)
  return wallet
}
