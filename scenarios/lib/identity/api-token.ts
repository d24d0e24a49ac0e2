import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { pickText } from '../pick.ts'
import { type Credential, isSuccess, type Reply, request } from '../requests/request.ts'
import { CannotJudge, CannotProbe } from '../verdict/cannot.ts'
import { fullCredentialOf, isAlive, type Session, withSession } from './session.ts'
import { usableWallets } from './shared-wallets.ts'
import { type WalletUse, walletFor } from './wallet.ts'

const PATH = '/api-tokens'

/** A token that was made for a probe: its id, and the session that made it. */
export type MadeToken = { id: string; session: Session }

export type ApiToken = { id: string; bearer: { bearer: string }; reply: Reply }

/** Asks for an API token that lives for a day. */
export function postApiToken(target: Target, credential: Credential): Promise<Reply> {
  const body = { name: 'breakwater probe', expires_in_days: 1 }
  return request(target, { method: 'POST', path: PATH, credential, body, once: true })
}

/** What was created by an answer; undefined where it has no id and no secret, in which case nothing of it is left behind. */
export async function createdToken(
  target: Target,
  reply: Reply,
  credential: Credential,
): Promise<ApiToken | undefined> {
  if (!isSuccess(reply)) return undefined
  const [id, secret] = [pickText(reply.json, 'data.id'), pickText(reply.json, 'data.token')]
  if (id !== undefined && secret !== undefined) return { id, bearer: { bearer: secret }, reply }
  if (id !== undefined) await revokeApiToken(target, { id, credential })
  return undefined
}

/** Revokes a token by its id, with the credential of its owner or of another. */
export function revokeApiToken(
  target: Target,
  { id, credential }: { id: string; credential: Credential },
): Promise<Reply> {
  const path = `${PATH}/${encodeURIComponent(id)}`
  return request(target, { method: 'DELETE', path, route: `${PATH}/{id}`, credential })
}

/** Lists the tokens of whose credential it is. */
export function listApiTokens(target: Target, credential: Credential): Promise<Reply> {
  return request(target, { method: 'GET', path: PATH, credential })
}

/** Makes an API token with a session, hands it on, and revokes it whatever comes. Throws CannotJudge where none is to be had. */
export async function withApiToken(
  target: Target,
  credential: Credential,
  use: (token: ApiToken) => Promise<void>,
): Promise<void> {
  const reply = await postApiToken(target, credential)
  const token = await createdToken(target, reply, credential)
  if (!token) throw new CannotJudge(`no API token to be had: ${reply.evidence()}`)
  try {
    await use(token)
  } finally {
    // Its outcome is nobody's verdict.
    await revokeApiToken(target, { id: token.id, credential }).catch(() => undefined)
  }
}

/**
 * An API token to try where it must be of use or must not: one that is made for it with the wallet of `use`, or the first that the
 * target was given. The given one must work, as it may have expired; it comes first if it is preferred. Throws CannotProbe if there
 * is neither.
 */
export async function withBearer(
  target: Target,
  { use, prefer }: { use: WalletUse; prefer: 'made' | 'given' },
  look: (bearer: { bearer: string }, made?: MadeToken) => Promise<void>,
): Promise<void> {
  const [given] = target.apiTokens
  const whyNot = whyNotMade(target)
  if (given !== undefined && (prefer === 'given' || whyNot !== undefined)) {
    const { alive, reply } = await isAlive(target, { bearer: given })
    if (alive) return look({ bearer: given })
    if (whyNot !== undefined)
      throw new CannotJudge(`the API token is refused, and ${whyNot}: ${reply.evidence()}`)
  }
  if (whyNot !== undefined)
    throw new CannotProbe(
      `needs an API token (${target.profile.credentials.apiTokens.env}), and ${whyNot}`,
      'token',
    )
  await withSession(target, walletFor(target, use), (session) =>
    withApiToken(target, fullCredentialOf(session), ({ bearer, id }) => look(bearer, { id, session })),
  )
}

/** Why no API token can be made; undefined: one can. */
function whyNotMade(target: Target): string | undefined {
  if (config.refuses.writes !== null) return `none may be made: ${config.refuses.writes}`
  if (usableWallets(target).length === 0) return 'the profile names no wallet with access to make one'
  if (target.profile.choices.verify.csrfToken !== null) return undefined
  return 'making one needs the place of the CSRF token (choices.verify.csrfToken)'
}
