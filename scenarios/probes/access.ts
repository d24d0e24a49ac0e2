import type { Profile } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { createdToken, postApiToken, revokeApiToken, withApiToken } from '../lib/identity/api-token.ts'
import {
  endSession,
  getCredential,
  requireFullCredential,
  type Session,
  startSession,
  verifyWallet,
  withSession,
} from '../lib/identity/session.ts'
import { requireAdministrator, walletFor } from '../lib/identity/wallet.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import {
  type Credential,
  isError,
  isSuccess,
  type Reply,
  type RequestSpec,
  request,
} from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/judge.ts'

/** Reads that need a credential, with paths that the API documentation states. */
export const STATED_DATA_PATHS: readonly string[] = [
  '/swaps',
  '/unclaimed',
  '/fee-tiers',
  '/schema/trading',
  '/access/status',
  '/referral/status',
]

/** The subset that shows a wallet its access: these may serve a wallet without access. */
const ACCESS_PATHS: readonly string[] = ['/access/status', '/referral/status']

export function portfolioPaths({ choices }: Profile): string[] {
  return [choices.positionsPath, choices.balancesPath].filter((path) => path !== null)
}

const PORTFOLIO = 'auth.credentials.portfolio-401'
/** Reads that fail without credentials, by the access that they need. */
const CLOSED = {
  'auth.credentials.missing-401': STATED_DATA_PATHS,
  'auth.credentials.session-401': ['/auth/sessions', '/api-tokens'],
  'auth.credentials.admin-401': ['/referral/codes'],
}

export const access: Probe = {
  rules: [...Object.keys(CLOSED), PORTFOLIO, 'auth.credentials.invalid-401', 'auth.access.denied-403'],
  world: 'main',
  async run(target, judge) {
    const portfolio = portfolioPaths(target.profile)
    if (portfolio.length === 0)
      judge.skip(PORTFOLIO, 'the profile names no path for positions or balances', 'choice')
    const closed = Object.entries({ ...CLOSED, [PORTFOLIO]: portfolio })
    const first = await readEach(target, closed)
    // A response served to the owner may be cached and then served to others.
    const paths = [...STATED_DATA_PATHS, ...CLOSED['auth.credentials.session-401'], ...portfolio]
    await readAsOwner(target, paths)
    const again = await readEach(target, closed)
    for (const [index, [rule, ofRule]] of closed.entries()) {
      const responses = [...(first[index] ?? []), ...(again[index] ?? [])]
      if (responses.some(({ status }) => status === 404))
        await judgeHidden(target, judge, { rule, paths: ofRule })
      judge401(judge, rule, responses)
    }
    await judgeInvalid(target, judge)
    await judgeDenied(target, judge)
  },
}

/** A persistent 404 without a credential breaks the rule if the same path is served with one. */
async function judgeHidden(
  target: Target,
  judge: Judge,
  { rule, paths }: { rule: string; paths: readonly string[] },
): Promise<void> {
  const isAdmins = rule === 'auth.credentials.admin-401'
  const read = (path: string, session?: Session) =>
    request(target, { method: 'GET', path, credential: session && getCredential(session) })
  await unlessCannot(() =>
    withSession(
      target,
      isAdmins ? requireAdministrator(target) : walletFor(target, 'signIn'),
      async (session) => {
        for (const path of paths) {
          const { outcome, last, explanation } = await confirm({
            first: await read(path),
            describeError: ({ status }) => (status === 404 ? '404' : undefined),
            again: () => read(path),
            witness: async () => {
              const { status } = await read(path, session)
              return { served: status === 200, explanation: `GET ${path} with a session -> ${status}` }
            },
          })
          if (outcome === 'persistent')
            judge.fail(rule, `404 without a credential: ${explanation}`, [last.evidence()])
        }
      },
    ),
  )
}

async function readEach(
  target: Target,
  closed: readonly (readonly [rule: string, paths: readonly string[]])[],
): Promise<Reply[][]> {
  const responses: Reply[][] = []
  for (const [, paths] of closed) {
    const ofRule: Reply[] = []
    for (const path of paths) ofRule.push(await request(target, { method: 'GET', path }))
    responses.push(ofRule)
  }
  return responses
}

async function readAsOwner(target: Target, paths: readonly string[]): Promise<void> {
  await unlessCannot(() =>
    withSession(target, walletFor(target, 'signIn'), async (session) => {
      const credential = getCredential(session)
      for (const path of paths) await request(target, { method: 'GET', path, credential })
    }),
  )
}

async function unlessCannot(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof CannotProbe || error instanceof CannotJudge)) throw error
  }
}

const MADE_UP = 'this-was-never-issued-by-anyone'

async function judgeInvalid(target: Target, judge: Judge): Promise<void> {
  const { access } = target.profile.choices.cookies
  const madeUp: Credential[] = [{ bearer: `ss_${MADE_UP}` }]
  if (access !== null) madeUp.push(accessCookie(access, MADE_UP))
  const responses = await readWithEach(target, madeUp)
  // Without a real credential to alter, made-up ones have to do.
  await unlessCannot(async () => void responses.push(...(await readWithAltered(target))))
  responses.push(...(await readWithEach(target, madeUp)))
  judge401(judge, 'auth.credentials.invalid-401', responses)
}

/** Alters valid credentials in one place each: a server that checks only the prefix or the format accepts them. */
async function readWithAltered(target: Target): Promise<Reply[]> {
  const { access } = target.profile.choices.cookies
  const responses: Reply[] = []
  await withSession(target, walletFor(target, 'signIn'), async (session) => {
    const token = access === null ? undefined : session.cookies.get(access)
    const cookies = token === undefined ? [] : alteredSecrets(token)
    await readWithEach(target, [getCredential(session)])
    responses.push(
      ...(await readWithEach(
        target,
        cookies.map(({ secret }) => accessCookie(access ?? '', secret)),
      )),
    )
    if (session.csrf === undefined) return
    await withApiToken(target, requireFullCredential(session), async ({ bearer: { bearer } }) => {
      await readWithEach(target, [{ bearer }])
      const [mark, secret] = [bearer.slice(0, MARK_LENGTH), bearer.slice(MARK_LENGTH)]
      const bearers = alteredSecrets(secret).map((altered) => ({ bearer: mark + altered.secret }))
      responses.push(...(await readWithEach(target, bearers)))
    })
  })
  return responses
}

const MARK_LENGTH = 'ss_'.length

/** Sends the access cookie alone: a refresh cookie next to it would be a credential too. */
function accessCookie(name: string, value: string): Credential {
  return { cookie: `${name}=${value}`, csrf: undefined }
}

async function readWithEach(target: Target, credentials: readonly Credential[]): Promise<Reply[]> {
  const responses: Reply[] = []
  for (const credential of credentials)
    responses.push(await request(target, { method: 'GET', path: '/swaps', credential }))
  return responses
}

/** A 404 or a redirect says nothing about credentials. */
function judge401(judge: Judge, rule: string, responses: readonly Reply[]): void {
  const others = responses.filter(({ status }) => status !== 401)
  const wrong = others.filter(
    ({ status }) => isSuccess({ status }) || isError({ status }) || (status >= 400 && status !== 404),
  )
  const evidence = (wrong.length > 0 ? wrong : others).map((reply) => reply.evidence())
  const statuses = responses.map(({ status }) => status).join(', ')
  if (wrong.length > 0) judge.fail(rule, statuses, evidence)
  else if (others.length > 0) judge.inconclusive(rule, `neither success nor 401: ${statuses}`, evidence)
  else judge.pass(rule, statuses)
}

async function judgeDenied(target: Target, judge: Judge): Promise<void> {
  const rule = 'auth.access.denied-403'
  const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
  if (!wallet) throw new CannotProbe('the profile names no wallet without access', 'wallets')
  const verified = await verifyWallet(target, wallet)
  if (!isSuccess(verified)) {
    const evidence = [verified.evidence()]
    if (verified.status === 403) judge.pass(rule, 'verify returned 403', evidence)
    else judge.inconclusive(rule, 'rejected at verify, possibly because of the signature', evidence)
    return
  }
  const session = startSession(target, { wallet, verified })
  try {
    judgeAll403(judge, rule, await requestDenied(target, session))
  } finally {
    await endSession(target, session)
  }
}

/** A response to a wallet without access. `isOpen`: a status other than 403 may be about the request itself. */
type Denied = { reply: Reply; isOpen: boolean }

/** Requests every endpoint that needs access, except those that show a wallet its own access. */
async function requestDenied(target: Target, session: Session): Promise<Denied[]> {
  const credential = getCredential(session)
  const stated = STATED_DATA_PATHS.filter((path) => !ACCESS_PATHS.includes(path)).map((path) => ({ path }))
  const others = [...portfolioPaths(target.profile).map((path) => ({ path })), await findPoolRoute(target)]
  const denied: Denied[] = []
  for (const read of [...stated, ...others]) {
    const reply = await request(target, { method: 'GET', ...read, credential })
    denied.push({ reply, isOpen: !stated.includes(read) })
  }
  if (session.csrf === undefined) return denied
  const created = await postApiToken(target, credential)
  const token = await createdToken(target, created, credential)
  if (token) await revokeApiToken(target, { id: token.id, credential })
  return [...denied, { reply: created, isOpen: true }]
}

/** A route between the tokens of one pool. The route need not exist: access is denied first. */
async function findPoolRoute(target: Target): Promise<Pick<RequestSpec, 'path' | 'query'>> {
  const list = await requestParsed(target, { path: '/pools', query: { limit: '1' } })
  const [pool] = pickRows(list.json, 'data') ?? []
  const [tokenIn, tokenOut] = ['token0', 'token1'].map((side) => pickText(pool, side) ?? '')
  return {
    path: '/route',
    query: { token_in: tokenIn ?? '', token_out: tokenOut ?? '', amount_in: '1000000' },
  }
}

function judgeAll403(judge: Judge, rule: string, denied: readonly Denied[]): void {
  const others = denied.filter(({ reply }) => reply.status !== 403)
  const wrong = others.filter(
    ({ reply, isOpen }) =>
      isSuccess(reply) || reply.status === 401 || (!isOpen && (isClientError(reply) || isError(reply))),
  )
  const unclear = others.filter(({ isOpen }) => !isOpen)
  const evidence = (wrong.length > 0 ? wrong : others).map(({ reply }) => reply.evidence())
  const seen = `signed in without access: ${denied.length - others.length} of ${denied.length} requests returned 403`
  if (wrong.length > 0) judge.fail(rule, seen, evidence)
  else if (unclear.length > 0) judge.inconclusive(rule, `neither success nor 403: ${seen}`, evidence)
  else judge.pass(rule, seen, evidence)
}
