import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import {
  copySession,
  dropCookie,
  endSession,
  refresh,
  refreshSpec,
  requireFullCredential,
  type Session,
  signIn,
  startsSession,
  withSession,
} from '../lib/identity/session.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { findFalseRace, refreshLive } from './session-checks.ts'

const RULE = 'auth.refresh.needs-cookie'

/** The earlier refresh proved that the session works: only the cookie is missing. */
export async function judgeCookieless(target: Target, judge: Judge, session: Session): Promise<void> {
  const stated = target.profile.choices.cookies.refresh
  // Without the right name, a refresh cookie can neither be left out nor replaced.
  const name = stated !== null && session.cookies.has(stated) ? stated : null
  const others = [...session.cookies].filter(([cookie]) => cookie !== name)
  const cookieOnly = (cookies: [string, string][]): Credential => {
    const cookie = cookies.map((pair) => pair.join('=')).join('; ')
    return { cookie, csrf: session.csrf }
  }
  const attempts: [how: string, credential: Credential | undefined][] = [
    ['no cookie', undefined],
    ...(name === null
      ? []
      : ([
          ['no refresh cookie', cookieOnly(others)],
          ['a made-up refresh cookie', cookieOnly([[name, 'this-token-was-never-issued-by-anyone']])],
        ] as [string, Credential][])), // as: pairs, which are read as arrays
  ]
  await judgeAlone(target, judge, { wallet: session.wallet, live: session })
  const seen: string[] = []
  const evidence: string[] = []
  /** Returns false, to stop, if the refresh was not rejected. */
  const isRefused = async (how: string, credential: Credential | undefined): Promise<boolean> => {
    const reply = await request(target, refreshSpec(credential))
    const inside = await startsSession(target, { wallet: session.wallet, reply })
    evidence.push(reply.evidence())
    if (inside || isSuccess(reply) || isError(reply))
      judge.fail(RULE, `${how}: ${reply.status}, and ${inside ? 'a' : 'no'} session`, [reply.evidence()])
    else if (!isClientError(reply))
      judge.inconclusive(RULE, `${how}: neither a session nor a rejection`, [reply.evidence()])
    seen.push(`${how}: ${reply.status}`)
    return !inside && isClientError(reply)
  }
  for (const [how, credential] of attempts) {
    if (!(await isRefused(how, credential))) return
  }
  await unlessCannot(async () => {
    const again = () => request(target, refreshSpec(undefined))
    const falseRace = await findFalseRace(target, { refresh: again, live: session })
    if (falseRace) judge.fail(RULE, `no cookie: ${falseRace.explanation}`, [falseRace.reply.evidence()])
  })
  for (const place of name === null ? [] : ALTERED) {
    // A session each, since an altered token may end it.
    let goOn = true
    await withSession(target, session.wallet, async (fresh) => {
      const altered = alteredSecrets(fresh.cookies.get(name ?? '') ?? '').at(place)
      if (altered) goOn = await isRefused(altered.how, cookieOnly([[name ?? '', altered.secret]]))
    })
    if (!goOn) return
  }
  if (!(await refusesOtherKinds(target, session.wallet, { name, cookieOnly, isRefused }))) return
  judge.pass(RULE, seen.join('; '), evidence)
}

/**
 * The access cookie is not needed: a rejection counts if it persists, with a session each, while another session refreshes with
 * both. Passes nothing.
 */
async function judgeAlone(
  target: Target,
  judge: Judge,
  { wallet, live }: { wallet: Wallet; live: Session },
): Promise<void> {
  const { access } = target.profile.choices.cookies
  if (access === null) return
  const refreshAlone = async (): Promise<Reply> => {
    const session = await signIn(target, wallet)
    const alone = copySession(session)
    dropCookie(alone, access)
    try {
      return await refresh(target, alone)
    } finally {
      await endSession(target, alone.cookies.has(access) ? alone : session)
    }
  }
  await unlessCannot(async () => {
    const { outcome, last, explanation } = await confirm<Reply>({
      first: await refreshAlone(),
      describeError: (reply) => (isClientError(reply) ? String(reply.status) : undefined),
      again: refreshAlone,
      witness: () => refreshLive(target, live),
    })
    const seen = `without the access cookie: ${explanation}`
    if (outcome === 'persistent') judge.fail(RULE, seen, [last.evidence()])
  })
}

/** Real secrets of other kinds in the place of a refresh cookie. Returns false if one was not rejected. */
async function refusesOtherKinds(
  target: Target,
  wallet: Wallet,
  {
    name,
    cookieOnly,
    isRefused,
  }: {
    name: string | null
    cookieOnly: (cookies: [string, string][]) => Credential
    isRefused: (how: string, credential: Credential) => Promise<boolean>
  },
): Promise<boolean> {
  let isEachRefused = true
  await withSession(target, wallet, async (fresh) => {
    const access = fresh.cookies.get(target.profile.choices.cookies.access ?? '')
    if (name !== null && access !== undefined && access !== fresh.cookies.get(name))
      isEachRefused = await isRefused('an access token as refresh cookie', cookieOnly([[name, access]]))
  })
  await unlessCannot(() =>
    withSession(target, wallet, (fresh) =>
      withApiToken(target, requireFullCredential(fresh), async ({ bearer }) => {
        if (isEachRefused) isEachRefused = await isRefused('an API token', bearer)
      }),
    ),
  )
  return isEachRefused
}

/** Both ends of the token, which a careless check omits, and one place in between. */
const ALTERED = [-1, -2, 0]
