import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { vuRandom } from '../duties/k6-tools.ts'
import { pickText } from '../pick.ts'
import { GaveUp } from '../requests/patient.ts'
import { type Credential, isSuccess, type Reply, request } from '../requests/request.ts'
import { CannotJudge, CannotProbe, unlessCannot } from '../verdict/judge.ts'
import { getCredential, isAlive, requireFullCredential, type Session, withSession } from './session.ts'
import { usableWallets } from './shared-wallets.ts'
import { type WalletUse, walletFor } from './wallet.ts'

const PATH = '/api-tokens'

/** A token made for a probe, with the session that made it. */
export type MadeToken = { id: string; session: Session }

export type ApiToken = { id: string; bearer: { bearer: string }; reply: Reply }

/**
 * Requests an API token that expires after one day, or after other days, or at a time that the server chooses. Only the first kind is
 * requested again after a lost response, as that may leave a token that cannot be revoked.
 */
export function postApiToken(
  target: Target,
  credential: Credential | undefined,
  {
    days = 1,
    headers = {},
    name = createTokenName(),
  }: { days?: number | null; headers?: Record<string, string>; name?: string } = {},
): Promise<Reply> {
  const body = { name, ...(days === null ? {} : { expires_in_days: days }) }
  const traits = days === 1 ? { repeatable: true as const } : { once: true as const }
  return request(target, { method: 'POST', path: PATH, credential, body, headers, ...traits })
}

/** Like postApiToken, but returns a transient reply instead of throwing. */
export function tryApiToken(target: Target, credential: Credential): Promise<Reply> {
  return postApiToken(target, credential).catch((error: unknown) => {
    if (error instanceof GaveUp) return error.reply
    throw error
  })
}

/**
 * Reads the created token from a response. If the secret is missing, revokes the token and returns undefined.
 */
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

/** Revokes a token with its owner's credential, another one, or none. */
export function revokeApiToken(
  target: Target,
  { id, credential }: { id: string; credential: Credential | undefined },
): Promise<Reply> {
  const path = `${PATH}/${encodeURIComponent(id)}`
  return request(target, { method: 'DELETE', path, route: `${PATH}/{id}`, credential })
}

/** Like tryApiToken, and revokes the created token with the credential of `owner`. */
export async function tryAndRevoke(
  target: Target,
  credential: Credential,
  owner: Credential = credential,
): Promise<Reply> {
  const reply = await tryApiToken(target, credential)
  const made = await createdToken(target, reply, owner)
  if (made) await revokeApiToken(target, { id: made.id, credential: owner })
  return reply
}

export function listApiTokens(target: Target, credential: Credential): Promise<Reply> {
  return request(target, { method: 'GET', path: PATH, credential })
}

/**
 * Creates an API token, runs `use`, and always revokes the token. Throws CannotJudge if none can be created.
 */
export async function withApiToken(
  target: Target,
  credential: Credential,
  use: (token: ApiToken) => Promise<void>,
): Promise<void> {
  const reply = await postApiToken(target, credential)
  const token = await createdToken(target, reply, credential)
  if (!token) throw new CannotJudge(`no API token was created: ${reply.evidence()}`)
  try {
    await use(token)
  } finally {
    // Cleanup: the result affects no verdict.
    await revokeApiToken(target, { id: token.id, credential }).catch(() => undefined)
  }
}

/** Runs `use` with an API token of the session's wallet, or with undefined if none can be created. */
export async function withTokenIfPossible(
  target: Target,
  session: Session,
  use: (bearer: { bearer: string } | undefined) => Promise<void>,
): Promise<void> {
  const made: ApiToken[] = []
  await unlessCannot(async () => {
    const full = requireFullCredential(session)
    const token = await createdToken(target, await tryApiToken(target, full), full)
    if (token) made.push(token)
  })
  const [token] = made
  try {
    await use(token?.bearer)
  } finally {
    // Cleanup: the result affects no verdict.
    if (token)
      await revokeApiToken(target, { id: token.id, credential: getCredential(session) }).catch(
        () => undefined,
      )
  }
}

/**
 * Runs `look` with a valid API token: a new one of the wallet of `use`, or the first of the profile after
 * checking that it has not expired. `prefer` decides which comes first. Throws CannotProbe if neither is
 * available.
 */
export async function withBearer(
  target: Target,
  { use, prefer }: { use: WalletUse; prefer: 'made' | 'given' },
  check: (bearer: { bearer: string }, made?: MadeToken) => Promise<void>,
): Promise<void> {
  const [given] = target.apiTokens
  const whyNot = whyNotMade(target)
  if (given !== undefined && (prefer === 'given' || whyNot !== undefined)) {
    const { alive, reply } = await isAlive(target, { bearer: given })
    if (alive) return check({ bearer: given })
    if (whyNot !== undefined)
      throw new CannotJudge(`the API token was rejected, and ${whyNot}: ${reply.evidence()}`)
  }
  if (whyNot !== undefined)
    throw new CannotProbe(
      `needs an API token (${target.profile.credentials.apiTokens.env}), and ${whyNot}`,
      'token',
    )
  await withSession(target, walletFor(target, use), (session) =>
    withApiToken(target, requireFullCredential(session), ({ bearer, id }) => check(bearer, { id, session })),
  )
}

/** Returns why no API token can be created, or undefined. */
function whyNotMade(target: Target): string | undefined {
  if (config.refuses.writes !== null) return `none may be created: ${config.refuses.writes}`
  if (usableWallets(target).length === 0) return 'the profile has no wallet with access to create one'
  if (target.profile.choices.verify.csrfToken !== null) return undefined
  return 'creating one needs the path of the CSRF token (choices.verify.csrfToken)'
}

/** A name that no other token has: a server may reject a second token of the same name. */
export function createTokenName(): string {
  return `breakwater ${Date.now().toString(36)}${Math.floor(vuRandom() * 36 ** 4).toString(36)}`
}
