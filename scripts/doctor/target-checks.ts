/** The checks of a target and its profile, in display order; `look.ts` collects the facts. */
import { shownAddress } from '../../contract/addresses.ts'
import { CONTROL_TOKEN_ENV } from '../control-api.ts'
import { explainPage, explainUpgrade } from '../target/explain-target.ts'
import { confirmFlags, hostsElsewhere } from '../target/permission.ts'
import { feedAddress, restAddress, type TargetResponse } from '../target/request-target.ts'
import { type Finding, type Judged, ok, problem, unchecked, warning } from './finding.ts'
import type { TargetFacts, Tried } from './look.ts'
import { judgeSignIn } from './sign-in-check.ts'

const TARGET_CHECKS: readonly (readonly [name: string, check: (facts: TargetFacts) => Judged | null])[] = [
  ['certificates', checkCa],
  ['rest', checkRest],
  ['exchange', checkExchange],
  ['feed', checkFeed],
  ['tls', checkCertificate],
  ['clock of the target', checkTargetClock],
  ['metrics', checkMetrics],
  ['wallets', checkWallets],
  ['sign-in', checkSignIn],
  ['api tokens', checkApiTokens],
  ['signer', checkSigner],
  ['control', checkControl],
  ['allowed', checkAllowed],
]

export function checkTarget(facts: TargetFacts): Finding[] {
  return TARGET_CHECKS.flatMap(([check, judge]) => {
    const judged = judge(facts)
    return judged === null ? [] : [{ check, ...judged }]
  })
}

type Failed = Extract<Tried<never>, { failure: string }>

function failed({ failure, hint }: Failed): Judged {
  return problem(failure, hint)
}

function noResponse(request: string, { failure, hint }: Failed, text: string): Judged {
  return problem(`${request}: ${failure}`, hint ?? text)
}

function checkCa({ ca, profile }: TargetFacts): Judged | null {
  if (ca === null) return null
  return 'failure' in ca ? failed(ca) : ok(`${profile.ca}: trusted in addition to those of the system`)
}

function checkRest({ rest, profile }: TargetFacts): Judged {
  const request = `GET ${shownAddress(restAddress(profile))}`
  if ('failure' in rest)
    return noResponse(request, rest, 'Check that it is running and that baseUrl of the profile is right.')
  const { status, location } = rest.value
  const page = explainPage(rest.value)
  if (page) return warning(`${request}: ${page.saw}`, page.remedy)
  const to = location === null ? '' : ` to ${shownAddress(location)}`
  const saw = `${request} returns ${status}${to} in ${computeResponseMs(rest.value)} ms`
  if (status === 401 || status === 403)
    return warning(saw, 'If it needs a header, set it in `headers` of the profile.')
  return status < 200 || status > 299 ? warning(saw, 'Check baseUrl of the profile.') : ok(saw)
}

/** A server that is not an exchange may respond as well. */
function checkExchange({ rest, serves }: TargetFacts): Judged | null {
  if ('failure' in rest) return null
  return 'failure' in serves ? failed(serves) : ok('/tokens responds like an exchange')
}

function checkFeed({ feed, profile }: TargetFacts): Judged {
  const address = shownAddress(feedAddress(profile))
  if ('failure' in feed) {
    const text = 'Check that it is running and that wsUrl of the profile is right: the URL without /ws.'
    return noResponse(address, feed, text)
  }
  const saw = `${address} returns ${feed.value.status} to an upgrade in ${computeResponseMs(feed.value)} ms`
  if (feed.value.status === 101) return ok(saw)
  const refusal = explainUpgrade(feed.value)
  return refusal
    ? problem(`${address}: ${refusal.saw}`, refusal.remedy)
    : warning(saw, 'The WebSocket server is busy. Try again later.')
}

function computeResponseMs({ sentMs, respondedMs }: TargetResponse): number {
  return respondedMs - sentMs
}

const DAY_MS = 86_400_000
/** Certificates are usually renewed a month before they expire. */
const DAYS_LEFT_LEAST = 14

function checkCertificate({ rest, feed }: TargetFacts): Judged | null {
  const responses = [rest, feed].flatMap((tried) => ('value' in tried ? [tried.value] : []))
  const certificates = responses.flatMap(({ tls, respondedMs }) =>
    tls === null ? [] : [{ ...tls, respondedMs }],
  )
  // Unknown expiry sorts last: a certificate that expires soon is more urgent.
  const endMs = ({ validUntilMs }: { validUntilMs: number | null }) =>
    validUntilMs ?? Number.POSITIVE_INFINITY
  const [soonest, ...others] = certificates.sort((one, other) => endMs(one) - endMs(other))
  if (soonest === undefined) return null
  const { protocol, validUntilMs, respondedMs } = soonest
  if (validUntilMs === null) return unchecked(`${protocol}, expiry of the certificate unknown`)
  const saw = `${protocol}, certificate valid until ${new Date(validUntilMs).toISOString().slice(0, 10)}`
  const days = Math.floor((validUntilMs - respondedMs) / DAY_MS)
  if (days < DAYS_LEFT_LEAST) return warning(`${saw}, ${days} days`, 'Renew the certificate of the target.')
  return others.some((other) => other.validUntilMs === null)
    ? unchecked(`${saw}; expiry of the other one unknown`)
    : ok(saw)
}

const SKEW_MS_MAX = 2000

/** The Date header has whole seconds: the clock is known to within a second plus the response time. */
function checkTargetClock({ rest, profile }: TargetFacts): Judged | null {
  if ('failure' in rest) return null
  const { dateMs, sentMs, respondedMs } = rest.value
  if (dateMs === null) {
    const text = 'Runs cannot report WebSocket delay, which is measured by it.'
    return warning('GET responses have no Date header', text)
  }
  const aheadMs = Math.max(0, dateMs - respondedMs)
  const behindMs = Math.max(0, sentMs - dateMs - 1000)
  const offMs = aheadMs || behindMs
  if (offMs <= SKEW_MS_MAX) return ok('agrees with the clock of this machine, within the precision of Date')
  const saw = `at least ${roughly(offMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`
  if (profile.control !== null) return ok(`${saw}; expected of a simulated clock`)
  const text = 'One of the two is wrong. Expiry times are read by the clock of this machine.'
  return warning(saw, text, 'timedatectl status')
}

function roughly(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`
}

function checkMetrics({ metrics, profile }: TargetFacts): Judged | null {
  if (metrics === null) return null
  const request = `GET ${shownAddress(profile.metrics ?? '')}`
  const without =
    'Without metrics, `capacity` reports less about what limited a target. Set "metrics": null to skip this check.'
  if ('failure' in metrics) return warning(`${request}: ${metrics.failure}`, without)
  const saw = `${request} returns ${metrics.value.status}`
  return metrics.value.status === 200 ? ok(saw) : warning(saw, without)
}

/** With fewer, probes share wallets and sign in by turns (docs/reference/profile.md). */
const WALLETS = 20

function checkWallets({ wallets, profile }: TargetFacts): Judged {
  if (wallets === null) {
    return warning(
      'credentials.wallets is not set: rules that need a session are skipped',
      'Name a file [{address, privateKeyJwk?, hasAccess, admin}] in the profile.',
    )
  }
  if ('failure' in wallets) return failed(wallets)
  const { count, withKey } = wallets.value
  const saw = `${count}, ${withKey} of them with a key`
  if (count === 0) return warning(saw, 'Rules that need a session are skipped: add wallets to the file.')
  if (withKey < count && profile.credentials.signer === null)
    return warning(saw, 'Those without a key cannot sign in: add privateKeyJwk, or name credentials.signer.')
  return ok(count < WALLETS ? `${saw}; with fewer than ${WALLETS}, probes sign in in turn` : saw)
}

function checkSignIn({ signIn, profile }: TargetFacts): Judged | null {
  if (signIn === null) return null
  return 'failure' in signIn ? failed(signIn) : judgeSignIn(signIn.value, profile)
}

function checkApiTokens({ apiTokens, profile, wallets }: TargetFacts): Judged {
  const { env } = profile.credentials.apiTokens
  if (apiTokens > 0) return ok(`${apiTokens} in ${env}`)
  if (wallets !== null && 'value' in wallets && wallets.value.canCreateTokens)
    return ok(`${env} is not set; a wallet can create tokens`)
  return warning(
    `${env} is not set: rules that need a token are skipped`,
    `Set them in the environment, separated by commas: export ${env}=…`,
  )
}

function checkSigner({ profile }: TargetFacts): Judged | null {
  return profile.credentials.signer === null ? null : unchecked('not called: it would sign')
}

function checkControl({ control }: TargetFacts): Judged | null {
  if (control === null) return null
  if ('failure' in control) return failed(control)
  if (control.value === 'token taken') return ok('responds and accepts the token')
  return warning(
    `${CONTROL_TOKEN_ENV} is not set: tests wait in real time`,
    `Set it to the token that \`breakwater stub\` printed: export ${CONTROL_TOKEN_ENV}=…`,
  )
}

/** Always ok: permissions are the user's choice. */
function checkAllowed({ profile }: TargetFacts): Judged {
  const { allow } = profile
  const hosts = hostsElsewhere(profile)
  if (hosts.length === 0) return ok('on this machine: anything')
  const more = [allow.mutations && 'changes', allow.load && 'a load'].filter(Boolean).join(' and ')
  return ok(
    more === ''
      ? `${hosts.join(', ')}: read-only, because allow.mutations and allow.load are false`
      : `${hosts.join(', ')}: read-only; ${confirmFlags(hosts)} allows ${more}`,
  )
}
