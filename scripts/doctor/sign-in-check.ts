/** Signs a wallet in and out, and judges the choices of the profile by the responses. */
import { at } from '../../client/exchange.ts'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { parseExpiry } from '../../scenarios/lib/duties/event-time.ts'
import { openWalletSession } from '../target/own-tokens.ts'
import { type Judged, ok, problem } from './finding.ts'

/** Any exchange serves it to a wallet with access. */
const READ = '/swaps?limit=1'
/** From 2001 to 2286: an expiry outside is in another unit. */
const PLAUSIBLE_MS = { min: 1e12, max: 1e13 }

export type SignInFacts = {
  address: string
  /** Names of the cookies that verify set. */
  cookies: readonly string[]
  body: unknown
  /** Requests that failed after the sign-in. */
  failures: readonly string[]
}

/** Throws an error that names the failed request if the sign-in fails. */
export async function lookAtSignIn(profile: Profile, wallet: Wallet): Promise<SignInFacts> {
  const { verified, send } = await openWalletSession(profile, wallet)
  const failures: string[] = []
  const note = (error: Error) => void failures.push(error.message)
  await send({ method: 'GET', path: READ, repeatable: true }).catch(note)
  await send({ method: 'POST', path: '/auth/logout', repeatable: true }).catch(note)
  return {
    address: wallet.address,
    cookies: verified.headers.getSetCookie().map((line) => line.split('=', 1)[0]?.trim() ?? ''),
    body: verified.body,
    failures,
  }
}

/** Shows names and paths, never values: a response to verify has secrets. */
export function judgeSignIn(facts: SignInFacts, { choices }: Pick<Profile, 'choices'>): Judged {
  const { address, cookies, body, failures } = facts
  const { verify, expiry } = choices
  const expiryMs = parseExpiry(at(body, verify.accessExpiresAt), expiry)
  const isPlausible = expiryMs !== undefined && expiryMs >= PLAUSIBLE_MS.min && expiryMs <= PLAUSIBLE_MS.max
  const wrong = [
    ...Object.entries(choices.cookies).flatMap(([kind, name]) =>
      name === null || cookies.includes(name)
        ? []
        : [`choices.cookies.${kind}: verify sets no cookie ${name}; it sets ${cookies.join(', ') || 'none'}`],
    ),
    ...(verify.address === null || at(body, verify.address) === address
      ? []
      : [`choices.verify.address: the address is not at ${verify.address}`]),
    ...(verify.csrfToken === null || typeof at(body, verify.csrfToken) === 'string'
      ? []
      : [`choices.verify.csrfToken: no text at ${verify.csrfToken}`]),
    ...(verify.accessExpiresAt === null || isPlausible
      ? []
      : [
          `choices.verify.accessExpiresAt, choices.expiry: no time in ${expiry} at ${verify.accessExpiresAt}`,
        ]),
    ...failures,
  ]
  if (wrong.length === 0) return ok(`${address} signs in, reads ${READ} and logs out`)
  const text = 'Correct these fields of the profile. A 403 to the read: the wallet has no access.'
  return problem(wrong.join('\n'), text)
}
