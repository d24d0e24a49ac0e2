import { expect, test } from 'vitest'
import { choicesSchema, type Profile, type Wallet } from '../contract/profile.ts'
import { createJar, startSession } from './jar.ts'
import { STRANGER_NAMES } from './model/strangers.ts'
import type { Scene } from './perform.ts'
import { ADMINISTRATOR, type CommandOf } from './sequence.ts'
import { alter, performAsk, performForge } from './strangers.ts'
import type { ExploreRequest, ExploreTarget, Reply } from './target.ts'

const ACCESS = '1111.22222222.333333333333'
const REFRESH = '0123456789abcdef'
const SECRET = 'ss_12345678'
const VERIFIED = { data: { csrf_token: 'csrf' } }
const profile = { choices: choicesSchema.parse({}) } as Profile // as: nothing else of it is read
const wallets = ['alice', 'bob'].map((address) => ({ address })) as Wallet[] // as: only addresses are read
const outsiders = [{ address: 'carol' }] as Wallet[] // as: only addresses are read

/** A scene with a session s1 and an API token t1 of one wallet, whose target responds as `respond` says. */
function setScene(respond: (request: ExploreRequest) => Partial<Reply> = () => ({})) {
  const sent: ExploreRequest[] = []
  const target: Partial<ExploreTarget> = {
    profile,
    outsiders,
    sign: async ({ address }, message) => `${address} signs ${JSON.stringify(message)}`,
    async request(request) {
      sent.push(request)
      return { status: 401, body: {}, cookies: {}, ...respond(request) }
    },
  }
  const jar = createJar()
  const verified = { status: 200, body: VERIFIED, cookies: { access: ACCESS, refresh: REFRESH } }
  const session = startSession(verified, { profile, wallet: 0 })
  if (session) jar.sessions.set('s1', { ...session, id: 'i/1' })
  jar.tokens.set('t1', { wallet: 0, id: 'j/1', secret: SECRET, isRevoked: false })
  const scene = { target, witness: {}, jar, wallets } as unknown as Scene // as: the witness is not used
  return { scene, sent }
}

type Ask = Omit<CommandOf<'ask'>, 'do'>
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const MADE_UP = 'this-was-never-issued-by-anyone'

test.each<[Ask, string, object]>([
  [{ with: 'nothing', for: 'GET /swaps' }, 'GET /swaps?limit=1', {}],
  [{ with: 'nothing', for: 'GET positions' }, 'GET /positions', {}],
  [{ with: 'made-up-token', for: 'GET /unclaimed' }, 'GET /unclaimed', bearer(`ss_${MADE_UP}`)],
  [{ with: 'made-up-session', for: 'GET /fee-tiers' }, 'GET /fee-tiers', { cookie: `access=${MADE_UP}` }],
  [
    { with: 'made-up-session', for: 'POST /auth/refresh' },
    'POST /auth/refresh',
    { cookie: `refresh=${MADE_UP}` },
  ],
  [
    { with: 'altered-start', by: 's1', for: 'GET /swaps' },
    'GET /swaps?limit=1',
    { cookie: `access=${ACCESS.replace('1', '4')}` },
  ],
  [{ with: 'altered-start', by: 't1', for: 'GET balances' }, 'GET /balances', bearer('ss_42345678')],
  [
    { with: 'altered-end', by: 's1', for: 'POST /auth/refresh' },
    'POST /auth/refresh',
    { cookie: 'refresh=0123456789abcdaf' },
  ],
  [
    { with: 'access-alone', by: 's1', for: 'POST /auth/refresh' },
    'POST /auth/refresh',
    { cookie: `access=${ACCESS}` },
  ],
  [{ with: 'token', by: 't1', for: 'DELETE /api-tokens/{id}' }, 'DELETE /api-tokens/j%2F1', bearer(SECRET)],
  [
    { with: 'token', by: 't1', for: 'POST /auth/sessions/{session_id}/revoke' },
    'POST /auth/sessions/i%2F1/revoke',
    bearer(SECRET),
  ],
])('sends %j', async (ask, call, headers) => {
  const { scene, sent } = setScene()
  expect(await performAsk({ do: 'ask', ...ask }, scene)).toMatchObject({ status: 401 })
  expect(sent.map(({ method, path, headers }) => [`${method} ${path}`, headers])).toEqual([[call, headers]])
})

test('sends nothing if nothing created what it needs', async () => {
  const { scene, sent } = setScene()
  expect(await performAsk({ do: 'ask', with: 'token', by: 't2', for: 'GET /api-tokens' }, scene)).toBeNull()
  expect(await performAsk({ do: 'ask', with: 'altered-end', by: 's2', for: 'GET /swaps' }, scene)).toBeNull()
  expect(sent).toEqual([])
})

test('tries the cookies that a rejected refresh sets', async () => {
  const ask = { do: 'ask', with: 'nothing', for: 'POST /auth/refresh' } as const
  const respond = ({ path, headers }: ExploreRequest): Partial<Reply> =>
    path === '/auth/refresh'
      ? { cookies: { access: 'a2' } }
      : { status: headers?.cookie === 'access=a2' ? 200 : 401 }
  expect(await performAsk(ask, setScene(respond).scene)).toEqual({ status: 401, isInside: true })
  expect(await performAsk(ask, setScene().scene)).toEqual({ status: 401, isInside: false })
})

test.each(STRANGER_NAMES.filter((name) => name.startsWith('altered')))('%s changes one character', (name) => {
  for (const secret of [ACCESS, REFRESH, 'aaaa', 'AAAA', '4444', 'a-b-']) {
    const altered = alter(secret, name)
    expect([...altered].filter((character, place) => character !== secret[place])).toHaveLength(1)
    expect(altered.toLowerCase()).not.toBe(secret.toLowerCase())
  }
})

const MESSAGE = ' sign\r\nthis: e\u0301 '

test.each<[CommandOf<'forge'>['how'], string]>([
  ['other-key', `bob signs ${JSON.stringify(MESSAGE)}`],
  ['altered', `alice signs ${JSON.stringify(`${MESSAGE}altered`)}`],
  ['trimmed', `alice signs ${JSON.stringify(MESSAGE.trim())}`],
  ['line-ends', `alice signs ${JSON.stringify(MESSAGE.replace('\r', ''))}`],
  ['normalized', `alice signs ${JSON.stringify(MESSAGE.normalize('NFC'))}`],
  ['collapsed', `alice signs ${JSON.stringify(' sign this: e\u0301 ')}`],
  ['no-access', `carol signs ${JSON.stringify(MESSAGE)}`],
])('forges a signature: %s', async (how, signature) => {
  const { scene, sent } = setScene(({ path }) =>
    path === '/auth/challenge' ? { status: 200, body: { data: { message: MESSAGE } } } : {},
  )
  expect(await performForge({ do: 'forge', wallet: 0, how }, scene)).toMatchObject({ status: 401 })
  const address = how === 'no-access' ? 'carol' : 'alice'
  expect(sent.map(({ body }) => body)).toEqual([{ address }, { address, signature }])
})

test('does not send the session of an administrator as that of another', async () => {
  const { scene, sent } = setScene()
  const session = scene.jar.sessions.get('s1')
  if (session) scene.jar.sessions.set('s1', { ...session, wallet: ADMINISTRATOR })
  const ask = { do: 'ask', with: 'session', by: 's1', for: 'GET /referral/codes' } as const
  expect(await performAsk(ask, scene)).toBe(null)
  expect(sent).toEqual([])
})

test('does not send a right signature, when the change leaves the message as it is', async () => {
  const { scene, sent } = setScene(() => ({ status: 200, body: { data: { message: 'plain' } } }))
  expect(await performForge({ do: 'forge', wallet: 0, how: 'trimmed' }, scene)).toBeNull()
  expect(sent).toHaveLength(1)
})

test.each([
  ['/unclaimed', 403, { status: 403 }],
  ['/unclaimed', 200, { status: 200, isInside: true }],
  ['/unclaimed', 401, { status: 401, isInside: true }],
  ['/balances', 404, { status: 403 }],
  ['/balances', 200, { status: 200, isInside: true }],
  ['/api-tokens', 201, { status: 201, isInside: true }],
])('a wallet without access that signs in: %s returns %i', async (closed, status, expected) => {
  const { scene } = setScene(({ path }) => {
    if (path === '/auth/challenge') return { status: 200, body: { data: { message: MESSAGE } } }
    if (path === '/auth/verify')
      return { status: 200, body: VERIFIED, cookies: { access: 'a', refresh: 'r' } }
    return { status: path === closed ? status : 403 }
  })
  expect(await performForge({ do: 'forge', wallet: 0, how: 'no-access' }, scene)).toEqual(expected)
})
