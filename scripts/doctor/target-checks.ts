/** The checks of a target and its profile, in the order in which findings are shown; `look.ts` finds out the facts. */
import { shownAddress } from '../../contract/addresses.ts'
import { CONTROL_TOKEN_ENV } from '../control-api.ts'
import { feedAddress, restAddress, type TargetAnswer } from '../target/ask-target.ts'
import { explainPage, explainUpgrade } from '../target/explain-target.ts'
import { confirmFlags, hostsElsewhere } from '../target/permission.ts'
import { type Finding, type Judged, ok, problem, unchecked, warning } from './finding.ts'
import type { TargetFacts, Tried } from './look.ts'

const TARGET_CHECKS: readonly (readonly [name: string, check: (facts: TargetFacts) => Judged | null])[] = [
  ['certificates', checkCa],
  ['rest', checkRest],
  ['exchange', checkExchange],
  ['feed', checkFeed],
  ['tls', checkCertificate],
  ['clock of the target', checkTargetClock],
  ['metrics', checkMetrics],
  ['wallets', checkWallets],
  ['api tokens', checkApiTokens],
  ['signer', checkSigner],
  ['control', checkControl],
  ['allowed', checkAllowed],
]

/** Checks that do not apply to a target are left out. */
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

function silent(asked: string, { failure, hint }: Failed, text: string): Judged {
  return problem(`${asked}: ${failure}`, hint ?? text)
}

/** The certificate authority that the profile names. */
function checkCa({ ca, profile }: TargetFacts): Judged | null {
  if (ca === null) return null
  return 'failure' in ca ? failed(ca) : ok(`${profile.ca}: trusted besides the usual ones`)
}

function checkRest({ rest, profile }: TargetFacts): Judged {
  const asked = `GET ${shownAddress(restAddress(profile))}`
  if ('failure' in rest) return silent(asked, rest, 'Is it running, and is baseUrl of the profile right?')
  const { status, location } = rest.value
  const page = explainPage(rest.value)
  if (page) return warning(`${asked}: ${page.saw}`, page.remedy)
  const to = location === null ? '' : ` to ${shownAddress(location)}`
  const saw = `${asked} answers ${status}${to} in ${tookMs(rest.value)} ms`
  if (status === 401 || status === 403)
    return warning(saw, 'Does it want a header? Name it in `headers` of the profile.')
  return status < 200 || status > 299 ? warning(saw, 'Is baseUrl of the profile right?') : ok(saw)
}

/** Another server may answer as well. */
function checkExchange({ rest, serves }: TargetFacts): Judged | null {
  if ('failure' in rest) return null
  return 'failure' in serves ? failed(serves) : ok('/tokens answers as an exchange may')
}

function checkFeed({ feed, profile }: TargetFacts): Judged {
  const address = shownAddress(feedAddress(profile))
  if ('failure' in feed) {
    const text = 'Is it running, and is wsUrl of the profile right? It is what stands before /ws.'
    return silent(address, feed, text)
  }
  const saw = `${address} answers ${feed.value.status} to an upgrade in ${tookMs(feed.value)} ms`
  if (feed.value.status === 101) return ok(saw)
  const refusal = explainUpgrade(feed.value)
  return refusal
    ? problem(`${address}: ${refusal.saw}`, refusal.remedy)
    : warning(saw, 'The feed is busy. Try again later.')
}

function tookMs({ sentMs, answeredMs }: TargetAnswer): number {
  return answeredMs - sentMs
}

const DAY_MS = 86_400_000
/** Certificates are usually renewed a month before they expire. */
const DAYS_LEFT_LEAST = 14

function checkCertificate({ rest, feed }: TargetFacts): Judged | null {
  const answers = [rest, feed].flatMap((tried) => ('value' in tried ? [tried.value] : []))
  const certificates = answers.flatMap(({ tls, answeredMs }) =>
    tls === null ? [] : [{ ...tls, answeredMs }],
  )
  // One that is unknown comes last: one that expires soon is the more urgent.
  const endMs = ({ validUntilMs }: { validUntilMs: number | null }) =>
    validUntilMs ?? Number.POSITIVE_INFINITY
  const [soonest, ...others] = certificates.sort((one, other) => endMs(one) - endMs(other))
  if (soonest === undefined) return null
  const { protocol, validUntilMs, answeredMs } = soonest
  if (validUntilMs === null) return unchecked(`${protocol}, expiry of the certificate unknown`)
  const saw = `${protocol}, certificate valid until ${new Date(validUntilMs).toISOString().slice(0, 10)}`
  const days = Math.floor((validUntilMs - answeredMs) / DAY_MS)
  if (days < DAYS_LEFT_LEAST) return warning(`${saw}, ${days} days`, 'Renew the certificate of the target.')
  return others.some((other) => other.validUntilMs === null)
    ? unchecked(`${saw}; expiry of the other one unknown`)
    : ok(saw)
}

const SKEW_MS_MAX = 2000

/** The header Date has whole seconds: the clock is known to within a second and the time of a response. */
function checkTargetClock({ rest, profile }: TargetFacts): Judged | null {
  if ('failure' in rest) return null
  const { dateMs, sentMs, answeredMs } = rest.value
  if (dateMs === null) {
    const text = 'Delay on the feed is measured by it: a run will not tell it.'
    return warning('GET answers bear no Date', text)
  }
  const aheadMs = Math.max(0, dateMs - answeredMs)
  const behindMs = Math.max(0, sentMs - dateMs - 1000)
  const offMs = aheadMs || behindMs
  if (offMs <= SKEW_MS_MAX) return ok('agrees with that of this machine, as far as Date tells')
  const saw = `at least ${roughly(offMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`
  if (profile.control !== null) return ok(`${saw}; a simulated one may be`)
  const text = 'One of the two is wrong. Expiries are read by the clock of this machine.'
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
  const asked = `GET ${shownAddress(profile.metrics ?? '')}`
  const without = 'Without it `capacity` tells less of what limited a target; "metrics": null leaves it out.'
  if ('failure' in metrics) return warning(`${asked}: ${metrics.failure}`, without)
  const saw = `${asked} answers ${metrics.value.status}`
  return metrics.value.status === 200 ? ok(saw) : warning(saw, without)
}

/** With fewer, probes share wallets and sign in by turns (docs/profile.md). */
const WALLETS = 20

/** Nothing that a run signs in with is ever printed. */
function checkWallets({ wallets, profile }: TargetFacts): Judged {
  if (wallets === null) {
    return warning(
      'credentials.wallets names none: rules that take a session are skipped',
      'Name a file [{address, privateKeyJwk?, hasAccess, admin}] in the profile.',
    )
  }
  if ('failure' in wallets) return failed(wallets)
  const { count, withKey } = wallets.value
  const saw = `${count}, ${withKey} of them with a key`
  if (count === 0) return warning(saw, 'Rules that take a session are skipped: put wallets into the file.')
  if (withKey < count && profile.credentials.signer === null)
    return warning(saw, 'Those without a key cannot sign in: add privateKeyJwk, or name credentials.signer.')
  return ok(count < WALLETS ? `${saw}; with fewer than ${WALLETS}, probes sign in by turns` : saw)
}

function checkApiTokens({ apiTokens, profile }: TargetFacts): Judged {
  const { env } = profile.credentials.apiTokens
  if (apiTokens > 0) return ok(`${apiTokens} in ${env}`)
  return warning(
    `${env} holds none: rules that take one are skipped, unless a wallet makes it`,
    `Put them into the environment: export ${env}=…, a comma between.`,
  )
}

function checkSigner({ profile }: TargetFacts): Judged | null {
  return profile.credentials.signer === null ? null : unchecked('is asked by runs alone: it would sign')
}

function checkControl({ control }: TargetFacts): Judged | null {
  if (control === null) return null
  if ('failure' in control) return failed(control)
  if (control.value === 'token taken') return ok('answers, and takes the token')
  return warning(
    `${CONTROL_TOKEN_ENV} holds no token: time passes by waiting`,
    `It is what \`breakwater stub\` printed: export ${CONTROL_TOKEN_ENV}=…`,
  )
}

/** Whatever a run may do there is no fault of the profile. */
function checkAllowed({ profile }: TargetFacts): Judged {
  const { allow } = profile
  const hosts = hostsElsewhere(profile)
  if (hosts.length === 0) return ok('on this machine: anything')
  const more = [allow.mutations && 'changes', allow.load && 'a load'].filter(Boolean).join(' and ')
  return ok(
    more === ''
      ? `${hosts.join(', ')}: only read, as allow.mutations and allow.load are false`
      : `${hosts.join(', ')}: only read; with ${confirmFlags(hosts)} takes ${more}`,
  )
}
