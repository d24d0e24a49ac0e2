/** Signs a wallet in and out, and judges the choices of the profile by the responses. */
import { at } from '../../client/exchange.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { parseExpiry } from '../../explore/wire/credentials.ts'
import { openWalletSession, usable } from '../target/own-tokens.ts'
import { PERMISSION_HINT, permissionFor } from '../target/permission.ts'
import { caPath, type ProfileFile, readWallets } from '../target/target-files.ts'
import { type Judged, ok, problem, unchecked } from './finding.ts'

/** Any exchange serves it to a wallet with access. */
const READ = '/swaps?limit=1'
/** From 2001 to 2286: an expiry outside is in another unit. */
const PLAUSIBLE_MS = { min: 1e12, max: 1e13 }

export type SignInFacts = {
  address: string
  /** Names of the cookies that verify set. */
  cookies: readonly string[]
  body: unknown
  /** Null: the wallet has access. */
  readFailure: string | null
  /** Null: the session is ended. */
  logoutFailure: string | null
}

/**
 * Throws a BreakwaterError if the sign-in is not allowed, or no wallet can sign in; otherwise an error that names the
 * failed request. Sends nothing if the results of earlier requests, `rest` and `serves`, are failures: repeated requests to a
 * target that does not respond are slow.
 */
export async function signInOnce(
  from: ProfileFile,
  { confirm, rest, serves }: { confirm: readonly string[] | undefined; rest: object; serves: object },
): Promise<SignInFacts | { skipped: string }> {
  const { writes } = permissionFor(from.profile, confirm)
  if (writes !== null) throw new BreakwaterError(writes, { hint: PERMISSION_HINT })
  const [wallet] = usable({ profile: from.profile, wallets: await readWallets(from) })
  if (!wallet) throw new BreakwaterError('no wallet with access can sign', { hint: WALLETS_HINT })
  if ('failure' in rest) return { skipped: 'the target does not respond' }
  if ('failure' in serves) return { skipped: 'the target does not respond like an exchange' }
  return lookAtSignIn({ ...from.profile, ca: caPath(from) }, wallet)
}

const WALLETS_HINT = 'Add one to the file that credentials.wallets names, with a private key or a signer.'

async function lookAtSignIn(profile: Profile, wallet: Wallet): Promise<SignInFacts> {
  const { verified, send } = await openWalletSession(profile, wallet)
  const attempt = (method: 'GET' | 'POST', path: string) =>
    send({ method, path, repeatable: true }).then(
      () => null,
      (error: Error) => error.message,
    )
  const readFailure = await attempt('GET', READ)
  const logoutFailure = await attempt('POST', '/auth/logout')
  return {
    address: wallet.address,
    cookies: verified.headers.getSetCookie().map((line) => line.split('=', 1)[0]?.trim() ?? ''),
    body: verified.body,
    readFailure,
    logoutFailure,
  }
}

/** Shows names and paths, never values: a response to verify has secrets. */
export function judgeSignIn(
  facts: SignInFacts | { skipped: string },
  { choices }: Pick<Profile, 'choices'>,
): Judged {
  if ('skipped' in facts) return unchecked(`not checked: ${facts.skipped}`)
  const { address, cookies, body, readFailure, logoutFailure } = facts
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
    ...(readFailure === null ? [] : [readFailure]),
  ]
  // Without a CSRF token, a target may reject the logout.
  const remains = logoutFailure !== null && verify.csrfToken === null
  const left = remains ? [`the session could not be ended and will expire: ${logoutFailure}`] : []
  if (logoutFailure !== null && !remains) wrong.push(logoutFailure)
  if (wrong.length === 0) {
    const saw = `${address} signs in${remains ? ' and' : ','} reads ${READ}${remains ? '' : ' and logs out'}`
    return ok([saw, ...left].join('\n'))
  }
  const text = 'Correct these fields of the profile. A 403 to the read: the wallet has no access.'
  return problem([...wrong, ...left].join('\n'), text)
}
