import type { Target } from '../../../contract/scenario-config.ts'
import { pickText } from '../pick.ts'
import { CannotJudge } from '../probe/cannot.ts'
import { type Credential, isSuccess, type Reply, request } from '../requests/request.ts'
import { fullCredentialOf, isAlive, withSession } from './session.ts'
import { walletFor } from './wallet.ts'

const PATH = '/api-tokens'

export type ApiToken = { id: string; bearer: { bearer: string }; reply: Reply }

/** Asks for an API token that lives for a day. */
export function postApiToken(target: Target, credential: Credential): Promise<Reply> {
  const body = { name: 'breakwater probe', expires_in_days: 1 }
  return request(target, { method: 'POST', path: PATH, credential, body })
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
 * An API token to try where it must be of use or must not: one that is made for it, or, where a wallet or the CSRF token is
 * wanting, the first that the target was given, which must work (it may have expired). Throws CannotProbe where there is neither.
 */
export async function withBearer(
  target: Target,
  use: (bearer: { bearer: string }, made: 'made' | 'given') => Promise<void>,
): Promise<void> {
  const [given] = target.apiTokens
  const canMake =
    target.profile.choices.verify.csrfToken !== null &&
    target.wallets.some(({ hasAccess, admin }) => hasAccess && !admin)
  if (given !== undefined && !canMake) {
    const { alive, reply } = await isAlive(target, { bearer: given })
    if (!alive) throw new CannotJudge(`the API token is refused: ${reply.evidence()}`)
    await use({ bearer: given }, 'given')
    return
  }
  await withSession(target, walletFor(target, 'apiTokens'), (session) =>
    withApiToken(target, fullCredentialOf(session), ({ bearer }) => use(bearer, 'made')),
  )
}
