import { at, textAt } from '../../client/at.ts'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Io } from '../io.ts'
import { withWalletSession } from './wallet-session.ts'

/** One for each of so many wallets: a limit of requests may go by credential. Whoever wants more gives them. */
const TOKENS_MAX = 5
/** The shortest life that the interface knows: what could not be revoked ends then. */
const BODY = { name: 'breakwater load', expires_in_days: 1 }

/** Why no API token can be made for a target; undefined: one can. */
export function whyNoOwnTokens(
  { profile, wallets }: Pick<Target, 'profile' | 'wallets'>,
  writesRefused: string | null,
): string | undefined {
  if (writesRefused !== null) return writesRefused
  if (profile.choices.verify.csrfToken === null)
    return 'the profile does not say where the CSRF token is (choices.verify.csrfToken)'
  return usable({ profile, wallets }).length === 0 ? 'no wallet with access that can sign' : undefined
}

/** Those that have access, sign, and are no administrator's. */
function usable({ profile, wallets }: Pick<Target, 'profile' | 'wallets'>): Wallet[] {
  return wallets.filter(
    ({ hasAccess, admin, privateKeyJwk }) =>
      hasAccess && !admin && (privateKeyJwk !== undefined || profile.credentials.signer !== null),
  )
}

type OwnToken = { id: string; token: string; wallet: Wallet }

/** A target with the tokens that were made for it; `revoke` ends these, and is to be called whatever comes. */
export type LentTokens = { target: Target; revoke(): Promise<void> }

/** Requests that a token takes: to sign in, make it and sign out, and the same to revoke it. */
export const REQUESTS_PER_TOKEN = 8

/**
 * Makes API tokens for a target that was given none, if clients of its mix need some: one for each wallet, `most` at the most. Throws a
 * BreakwaterError (environment) if the target makes none.
 */
export async function lendOwnTokens(
  { target, mix }: { target: Target; mix: Mix | null },
  { io, most = TOKENS_MAX }: { io: Io; most?: number },
): Promise<LentTokens> {
  const needsTokens = mix?.clients.some(({ credential }) => credential === 'api-token') ?? false
  const wallets = needsTokens && target.apiTokens.length === 0 ? usable(target).slice(0, most) : []
  const made: OwnToken[] = []
  for (const wallet of wallets) {
    try {
      made.push(await makeToken(target, wallet))
    } catch (error) {
      if (made.length === 0) throw error
      break
    }
  }
  if (made.length > 0)
    io.tell(`made API tokens for clients of the mix, to be revoked at the end: ${made.length}`)
  return {
    target: made.length === 0 ? target : { ...target, apiTokens: made.map(({ token }) => token) },
    async revoke() {
      for (const token of made) await revoke(target, token, io)
    },
  }
}

async function makeToken({ profile }: Target, wallet: Wallet): Promise<OwnToken> {
  try {
    return await withWalletSession(profile, wallet, async (session) => {
      const body = await session({ method: 'POST', path: '/api-tokens', body: BODY })
      return { id: textAt(body, 'data.id'), token: textAt(body, 'data.token'), wallet }
    })
  } catch (cause) {
    const { env } = profile.credentials.apiTokens
    throw new BreakwaterError(`no API token could be made for the mix: ${(cause as Error).message}`, {
      hint: `Set ${env} to API tokens of the target, or name a mix without clients that need one.`,
      exitCode: EXIT.environment,
      cause,
    })
  }
}

/** A failure is reported, and changes nothing else: what was measured stays measured. */
async function revoke({ profile }: Target, { id, wallet }: OwnToken, io: Io): Promise<void> {
  const path = `/api-tokens/${encodeURIComponent(id)}`
  try {
    await withWalletSession(profile, wallet, async (session) => {
      const body = await session({ method: 'DELETE', path, repeatable: true })
      if (at(body, 'data.revoked') === false) throw new Error(`DELETE ${path} -> revoked: false`)
    })
  } catch (error) {
    io.stderr(
      `breakwater: the API token ${id} of the wallet ${wallet.address} is not revoked: ${(error as Error).message}\n` +
        '  Revoke it yourself; it expires in a day.\n',
    )
  }
}
