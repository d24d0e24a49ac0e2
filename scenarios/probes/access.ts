import type { Target } from '../../contract/scenario-config.ts'
import { type AlteredSecret, alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import {
  credentialRead,
  getCredential,
  requireFullCredential,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { findWrongRefusal } from '../lib/identity/still-served.ts'
import { requireAdministrator, walletFor } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isError, isSuccess, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { isElsewhere, judge401, judgeDenied, type Tried, tryOut } from './access-denied.ts'
import { judgeMintWithoutCredential } from './admin-mint.ts'
import { portfolioPaths, STATED_DATA_PATHS } from './data-paths.ts'
import { judgeAliases } from './path-aliases.ts'
import { judgeWritesWithoutCredential } from './writes-without-credential.ts'

const PORTFOLIO = 'auth.credentials.portfolio-401'
const INVALID = 'auth.credentials.invalid-401'
/** Reads that fail without credentials, by the access that they need. */
const CLOSED = {
  'auth.credentials.missing-401': STATED_DATA_PATHS,
  'auth.credentials.session-401': ['/auth/sessions', '/api-tokens'],
  'auth.credentials.admin-401': ['/referral/codes'],
}

export const access: Probe = {
  rules: [...Object.keys(CLOSED), PORTFOLIO, INVALID, 'auth.access.denied-403'],
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
    await judgeWritesWithoutCredential(target, judge, 'auth.credentials.session-401')
    await unlessCannot(() => judgeMintWithoutCredential(target, judge, 'auth.credentials.admin-401'))
    await judgeAliases(target, judge, 'auth.credentials.missing-401')
    for (const [index, [rule, ofRule]] of closed.entries()) {
      const responses = [...(first[index] ?? []), ...(again[index] ?? [])]
      if (responses.some(({ reply }) => isElsewhere(reply)))
        await judgeHidden(target, judge, { rule, paths: ofRule })
      await judge401(target, judge, { rule, tries: responses })
    }
    await judgeInvalid(target, judge)
    await judgeDenied(target, judge)
  },
}

/** A persistent 404 or redirect without a credential breaks the rule if the same path is served with one. */
async function judgeHidden(
  target: Target,
  judge: Judge,
  { rule, paths }: { rule: string; paths: readonly string[] },
): Promise<void> {
  const isAdmins = rule === 'auth.credentials.admin-401'
  const read = (path: string, session?: Session) =>
    request(target, { method: 'GET', path, credential: session && getCredential(session), anybody: true })
  await unlessCannot(() =>
    withSession(
      target,
      isAdmins ? requireAdministrator(target) : walletFor(target, 'signIn'),
      async (session) => {
        for (const path of paths) {
          const { outcome, last, explanation } = await confirm({
            first: await read(path),
            describeError: (reply) => (isElsewhere(reply) ? String(reply.status) : undefined),
            again: () => read(path),
            witness: async () => {
              const { status } = await read(path, session)
              return { served: status === 200, explanation: `GET ${path} with a session -> ${status}` }
            },
          })
          if (outcome === 'persistent')
            judge.fail(rule, `${last.status} without a credential: ${explanation}`, [last.evidence()])
        }
      },
    ),
  )
}

async function readEach(
  target: Target,
  closed: readonly (readonly [rule: string, paths: readonly string[]])[],
): Promise<Tried[][]> {
  const responses: Tried[][] = []
  for (const [, paths] of closed) {
    const ofRule: Tried[] = []
    for (const path of paths)
      ofRule.push(await tryOut(() => request(target, { method: 'GET', path, anybody: true })))
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

const MADE_UP = 'this-was-never-issued-by-anyone'
/** Shaped like a JWT: its header and its claims are base64url of JSON. */
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.dGhpcy13YXMtbmV2ZXItaXNzdWVk'

async function judgeInvalid(target: Target, judge: Judge): Promise<void> {
  const { access } = target.profile.choices.cookies
  const madeUp: Credential[] = [`ss_${MADE_UP}`, MADE_UP, JWT].map((bearer) => ({ bearer }))
  if (access !== null) madeUp.push(accessCookie(access, MADE_UP))
  const responses = await readWithEach(target, madeUp)
  // Without a real credential to alter, made-up ones have to do.
  await unlessCannot(async () => void responses.push(...(await readWithAltered(target))))
  for (const credential of madeUp)
    if (!responses.some(({ reply }) => isError(reply)))
      responses.push(...(await readEverywhere(target, credential)))
  await judgeMisused(target, judge, INVALID)
  await judge401(target, judge, { rule: INVALID, tries: responses })
}

/** Reads every endpoint that takes this kind of credential: a server may check each of them differently. */
async function readEverywhere(target: Target, credential: Credential): Promise<Tried[]> {
  const portfolio = portfolioPaths(target.profile)
  const ofSession = 'bearer' in credential ? [] : CLOSED['auth.credentials.session-401']
  const responses: Tried[] = []
  for (const path of [...STATED_DATA_PATHS, '/auth/ws-ticket', ...ofSession, ...portfolio]) {
    const tried = await tryOut(() => request(target, { method: 'GET', path, credential }))
    // The profile may name a wrong path.
    if (tried.reply.status !== 404 || !portfolio.includes(path)) responses.push(tried)
    // One is enough, because confirming an error takes long.
    if (isError(tried.reply)) return responses
  }
  if ('bearer' in credential) return responses
  const codes = await tryOut(() => readCodes(target, credential))
  // Some servers hide the endpoints of administrators.
  if (codes.reply.status !== 404) responses.push(codes)
  return responses
}

/** Alters valid credentials in one place each: a server that checks only the prefix or the format accepts them. */
async function readWithAltered(target: Target): Promise<Tried[]> {
  const { access } = target.profile.choices.cookies
  const responses: Tried[] = []
  await withSession(target, walletFor(target, 'signIn'), async (session) => {
    const token = access === null ? undefined : session.cookies.get(access)
    const cookies = token === undefined ? [] : alteredSecrets(token)
    await readWithEach(target, [getCredential(session)])
    responses.push(
      ...(await readWithSecrets(target, cookies, (secret) => accessCookie(access ?? '', secret))),
    )
    if (session.csrf === undefined) return
    await withApiToken(target, requireFullCredential(session), async ({ bearer: { bearer } }) => {
      await readWithEach(target, [{ bearer }])
      const [mark, secret] = [bearer.slice(0, MARK_LENGTH), bearer.slice(MARK_LENGTH)]
      const make = (altered: string) => ({ bearer: mark + altered })
      responses.push(...(await readWithSecrets(target, alteredSecrets(secret), make)))
    })
  })
  return responses
}

/** A known attack may get any rejection: only a success counts. */
async function readWithSecrets(
  target: Target,
  altered: readonly AlteredSecret[],
  make: (secret: string) => Credential,
): Promise<Tried[]> {
  const tries = await readWithEach(
    target,
    altered.map(({ secret }) => make(secret)),
  )
  return tries.filter(({ reply }, index) => isSuccess(reply) || !altered[index]?.isAttack)
}

const MARK_LENGTH = 'ss_'.length

/** Sends the access cookie alone: a refresh cookie next to it would be a credential too. */
function accessCookie(name: string, value: string): Credential {
  return { cookie: `${name}=${value}`, csrf: undefined }
}

async function readWithEach(target: Target, credentials: readonly Credential[]): Promise<Tried[]> {
  const responses: Tried[] = []
  for (const credential of credentials)
    responses.push(await tryOut(() => request(target, { method: 'GET', path: '/swaps', credential })))
  return responses
}

/** Real secrets that are no valid credentials: those of another kind, and those of an ended session. Passes nothing. */
async function judgeMisused(target: Target, judge: Judge, rule: string): Promise<void> {
  const wallet = walletFor(target, 'signIn')
  await unlessCannot(() =>
    withSession(target, wallet, async (session) => {
      await unlessCannot(() => judgeOtherKinds(target, judge, { rule, session }))
      await withSession(target, wallet, (ended) => judgeEnded(target, judge, { rule, session, ended }))
    }),
  )
}

/** Each kind of secret in the place of another. A server may use one value for two kinds. */
async function judgeOtherKinds(
  target: Target,
  judge: Judge,
  { rule, session }: { rule: string; session: Session },
): Promise<void> {
  const { cookies, wsTicket } = target.profile.choices
  const secretOf = (name: string | null) => (name === null ? undefined : session.cookies.get(name))
  const asked = { method: 'GET', path: '/auth/ws-ticket', credential: getCredential(session) } as const
  const ticket = pickText((await request(target, asked)).json, wsTicket.ticket)
  const access = secretOf(cookies.access)
  const asCookie = (value: string): Credential => ({ cookie: `${cookies.access}=${value}`, csrf: undefined })
  for (const [name, secret] of Object.entries({ ticket, 'refresh token': secretOf(cookies.refresh) })) {
    if (secret === undefined || secret === access) continue
    const places: Record<string, Credential> = { 'an API token': { bearer: secret } }
    if (access !== undefined) places['an access cookie'] = asCookie(secret)
    for (const [place, credential] of Object.entries(places)) {
      const reply = await request(target, credentialRead(target, credential))
      const seen = `a ${name} in the place of ${place}: ${reply.status}`
      if (isSuccess(reply)) judge.fail(rule, seen, [reply.evidence()])
    }
  }
  if (access === undefined) return
  // Endpoints that take no API token, since others may take one from a cookie too.
  await withApiToken(target, requireFullCredential(session), async ({ bearer: { bearer } }) => {
    for (const path of CLOSED['auth.credentials.session-401']) {
      const reply = await request(target, { method: 'GET', path, credential: asCookie(bearer) })
      const seen = `an API token in the place of an access cookie: GET ${path} -> ${reply.status}`
      if (isSuccess(reply)) judge.fail(rule, seen, [reply.evidence()])
    }
  })
}

/** The wallet has access, so a 403 is wrong for its ended session. */
async function judgeEnded(
  target: Target,
  judge: Judge,
  { rule, session, ended }: { rule: string; session: Session; ended: Session },
): Promise<void> {
  const credential = requireFullCredential(ended)
  const out = await request(target, { method: 'POST', path: '/auth/logout', credential })
  if (!isSuccess(out)) return
  const wrong = await findWrongRefusal(target, credential, { witness: getCredential(session) })
  if (wrong === undefined) return
  const evidence = [out.evidence(), wrong.reply.evidence()]
  judge.fail(rule, `a session that was logged out: ${wrong.explanation}`, evidence)
}
