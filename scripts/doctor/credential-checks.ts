/** What a run signs in with; none of it is ever printed. */
import { CONTROL_TOKEN_ENV } from '../control-token.ts'
import type { Judged } from './finding.ts'
import type { TargetFacts, Tried } from './target-facts.ts'

/** With fewer, probes share wallets and sign in by turns (docs/profile.md). */
const WALLETS = 20

/** Whether the certificate authority that the profile names can be read; null where it names none. */
export function checkCa({ ca, profile }: Pick<TargetFacts, 'ca' | 'profile'>): Judged | null {
  if (ca === null) return null
  return 'failure' in ca
    ? failed(ca)
    : { verdict: 'ok', saw: `${profile.ca}: trusted besides the usual ones` }
}

/** Whether the wallets to sign in with are there, and can sign. */
export function checkWallets({ wallets, profile }: Pick<TargetFacts, 'wallets' | 'profile'>): Judged {
  if (wallets === null) {
    return {
      verdict: 'warning',
      saw: 'credentials.wallets names none: rules that take a session are skipped',
      remedy: { text: 'Name a file [{address, privateKeyJwk?, hasAccess, admin}] in the profile.' },
    }
  }
  if ('failure' in wallets) return failed(wallets)
  const { count, withKey } = wallets.value
  const saw = `${count}, ${withKey} of them with a key`
  if (count === 0) {
    return {
      verdict: 'warning',
      saw,
      remedy: { text: 'Rules that take a session are skipped: put wallets into the file.' },
    }
  }
  if (withKey < count && profile.credentials.signer === null) {
    return {
      verdict: 'warning',
      saw,
      remedy: { text: 'Those without a key cannot sign in: add privateKeyJwk, or name credentials.signer.' },
    }
  }
  return {
    verdict: 'ok',
    saw: count < WALLETS ? `${saw}; with fewer than ${WALLETS}, probes sign in by turns` : saw,
  }
}

/** Whether the API tokens that the profile names are there. */
export function checkApiTokens({ apiTokens, profile }: Pick<TargetFacts, 'apiTokens' | 'profile'>): Judged {
  const { env } = profile.credentials.apiTokens
  if (apiTokens > 0) return { verdict: 'ok', saw: `${apiTokens} in ${env}` }
  return {
    verdict: 'warning',
    saw: `${env} holds none: rules that take one are skipped, unless a wallet makes it`,
    remedy: { text: `Put them into the environment: export ${env}=…, a comma between.` },
  }
}

/** Whether an endpoint signs in place of keys; null where none does. */
export function checkSigner({ profile }: Pick<TargetFacts, 'profile'>): Judged | null {
  if (profile.credentials.signer === null) return null
  return { verdict: 'unchecked', saw: 'is asked by runs alone: it would sign' }
}

/** Whether the token of the control API is there; null where the target has no control API. */
export function checkControl({ control }: Pick<TargetFacts, 'control'>): Judged | null {
  if (control === null) return null
  if ('failure' in control) return failed(control)
  if (control.value === 'token taken') return { verdict: 'ok', saw: 'answers, and takes the token' }
  return {
    verdict: 'warning',
    saw: `${CONTROL_TOKEN_ENV} holds no token: time passes by waiting`,
    remedy: { text: `It is what \`breakwater stub\` printed: export ${CONTROL_TOKEN_ENV}=…` },
  }
}

function failed({ failure, hint }: Extract<Tried<never>, { failure: string }>): Judged {
  return { verdict: 'problem', saw: failure, ...(hint === undefined ? {} : { remedy: { text: hint } }) }
}
