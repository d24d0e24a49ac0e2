/** Everything that is asked of a target and its profile, in the order in which it is told. */

import { shownAddress } from '../../contract/addresses.ts'
import { CONTROL_TOKEN_ENV } from '../control-api.ts'
import { feedAddress, restAddress, type TargetAnswer } from '../target/ask-target.ts'
import { explainPage, explainUpgrade } from '../target/explain-target.ts'
import { confirmFlags, hostsElsewhere } from '../target/permission.ts'
import type { Finding, Judged } from './finding.ts'
import type { TargetFacts, Tried } from './look-at-target.ts'

/** What a run signs in with; none of it is ever printed. */
/** With fewer, probes share wallets and sign in by turns (docs/profile.md). */
const WALLETS = 20

/** Whether the certificate authority that the profile names can be read; null where it names none. */
function checkCa({ ca, profile }: Pick<TargetFacts, 'ca' | 'profile'>): Judged | null {
  if (ca === null) return null
  return 'failure' in ca
    ? failed(ca)
    : { verdict: 'ok', saw: `${profile.ca}: trusted besides the usual ones` }
}

/** Whether the wallets to sign in with are there, and can sign. */
function checkWallets({ wallets, profile }: Pick<TargetFacts, 'wallets' | 'profile'>): Judged {
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
function checkApiTokens({ apiTokens, profile }: Pick<TargetFacts, 'apiTokens' | 'profile'>): Judged {
  const { env } = profile.credentials.apiTokens
  if (apiTokens > 0) return { verdict: 'ok', saw: `${apiTokens} in ${env}` }
  return {
    verdict: 'warning',
    saw: `${env} holds none: rules that take one are skipped, unless a wallet makes it`,
    remedy: { text: `Put them into the environment: export ${env}=…, a comma between.` },
  }
}

/** Whether an endpoint signs in place of keys; null where none does. */
function checkSigner({ profile }: Pick<TargetFacts, 'profile'>): Judged | null {
  if (profile.credentials.signer === null) return null
  return { verdict: 'unchecked', saw: 'is asked by runs alone: it would sign' }
}

/** Whether the token of the control API is there; null where the target has no control API. */
function checkControl({ control }: Pick<TargetFacts, 'control'>): Judged | null {
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

/** The certificate and the clock of a target. */
const DAY_MS = 86_400_000
/** Those who renew certificates do so a month before. */
const DAYS_LEFT_LEAST = 14
const SKEW_MS_MAX = 2000

/** Whether the target's certificates are good, and for how long; null where it has none. */
function checkCertificate({ rest, feed }: Pick<TargetFacts, 'rest' | 'feed'>): Judged | null {
  const answers = [rest, feed].flatMap((tried) => ('value' in tried ? [tried.value] : []))
  const certificates = answers.flatMap(({ tls, answeredMs }) =>
    tls === null ? [] : [{ ...tls, answeredMs }],
  )
  // One that is unknown comes last: one that expires soon is the more urgent.
  const endMs = ({ validUntilMs }: { validUntilMs: number | null }) =>
    validUntilMs ?? Number.POSITIVE_INFINITY
  const [soonest, ...others] = certificates.sort((one, other) => endMs(one) - endMs(other))
  if (soonest === undefined) return null
  if (soonest.validUntilMs === null)
    return { verdict: 'unchecked', saw: `${soonest.protocol}, expiry of the certificate unknown` }
  const until = new Date(soonest.validUntilMs).toISOString().slice(0, 10)
  const days = Math.floor((soonest.validUntilMs - soonest.answeredMs) / DAY_MS)
  const saw = `${soonest.protocol}, certificate valid until ${until}`
  if (days >= DAYS_LEFT_LEAST) {
    return others.some(({ validUntilMs }) => validUntilMs === null)
      ? { verdict: 'unchecked', saw: `${saw}; expiry of the other one unknown` }
      : { verdict: 'ok', saw }
  }
  return {
    verdict: 'warning',
    saw: `${saw}, ${days} days`,
    remedy: { text: 'Renew the certificate of the target.' },
  }
}

/** By the header Date, which tells whole seconds: the clock is known to within a second and the time of an answer. */
function checkTargetClock({ rest, profile }: Pick<TargetFacts, 'rest' | 'profile'>): Judged | null {
  if ('failure' in rest) return null
  const span = skewOf(rest.value)
  if (span === null) {
    return {
      verdict: 'warning',
      saw: 'GET answers bear no Date',
      remedy: { text: 'Delay on the feed is measured by it: a run will not tell it.' },
    }
  }
  const [leastMs, mostMs] = span
  const offMs = leastMs > 0 ? leastMs : mostMs < 0 ? -mostMs : 0
  if (offMs <= SKEW_MS_MAX)
    return { verdict: 'ok', saw: 'agrees with that of this machine, as far as Date tells' }
  const saw = `at least ${roughly(offMs)} ${leastMs > 0 ? 'ahead of' : 'behind'} that of this machine`
  if (profile.control !== null) return { verdict: 'ok', saw: `${saw}; a simulated one may be` }
  return {
    verdict: 'warning',
    saw,
    remedy: {
      text: 'One of the two is wrong. Expiries are read by the clock of this machine.',
      command: 'timedatectl status',
    },
  }
}

function roughly(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`
}

/** What the target's clock was ahead of ours, at least and at most; null where it does not tell. */
function skewOf({ dateMs, sentMs, answeredMs }: TargetAnswer): [leastMs: number, mostMs: number] | null {
  return dateMs === null ? null : [dateMs - answeredMs, dateMs + 1000 - sentMs]
}

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

/** What does not apply to a target is left out. */
export function checkTarget(facts: TargetFacts): Finding[] {
  return TARGET_CHECKS.flatMap(([check, judge]) => {
    const judged = judge(facts)
    return judged === null ? [] : [{ check, ...judged }]
  })
}

/** What a run may do there; never a fault of the profile. */
function checkAllowed({ profile }: Pick<TargetFacts, 'profile'>): Judged {
  const { allow } = profile
  const hosts = hostsElsewhere(profile)
  if (hosts.length === 0) return { verdict: 'ok', saw: 'on this machine: anything' }
  const named = hosts.join(', ')
  const more = [allow.mutations && 'changes', allow.load && 'a load'].filter(Boolean).join(' and ')
  return {
    verdict: 'ok',
    saw:
      more === ''
        ? `${named}: only read, as allow.mutations and allow.load are false`
        : `${named}: only read; with ${confirmFlags(hosts)} takes ${more}`,
  }
}

/** Whether REST interface, feed and metrics of a target answer, and as such things do. */
type Facts<Name extends keyof TargetFacts> = Pick<TargetFacts, Name | 'profile'>

/** Whether the REST interface answers, and as an exchange does. */
function checkRest({ rest, profile }: Facts<'rest'>): Judged {
  const asked = `GET ${shownAddress(restAddress(profile))}`
  if ('failure' in rest) return silent(asked, rest, 'Is it running, and is baseUrl of the profile right?')
  const { status, location } = rest.value
  const page = explainPage(rest.value)
  if (page) return { verdict: 'warning', saw: `${asked}: ${page.saw}`, remedy: { text: page.remedy } }
  const saw = `${asked} answers ${status}${location === null ? '' : ` to ${shownAddress(location)}`} in ${tookMs(rest.value)} ms`
  if (status === 401 || status === 403) {
    return {
      verdict: 'warning',
      saw,
      remedy: { text: 'Does it want a header? Name it in `headers` of the profile.' },
    }
  }
  if (status < 200 || status > 299)
    return { verdict: 'warning', saw, remedy: { text: 'Is baseUrl of the profile right?' } }
  return { verdict: 'ok', saw }
}

/** Whether the live feed lets a socket open. */
function checkFeed({ feed, profile }: Facts<'feed'>): Judged {
  const address = shownAddress(feedAddress(profile))
  if ('failure' in feed) {
    return silent(
      address,
      feed,
      'Is it running, and is wsUrl of the profile right? It is what stands before /ws.',
    )
  }
  const saw = `${address} answers ${feed.value.status} to an upgrade in ${tookMs(feed.value)} ms`
  if (feed.value.status === 101) return { verdict: 'ok', saw }
  const refusal = explainUpgrade(feed.value)
  if (refusal)
    return { verdict: 'problem', saw: `${address}: ${refusal.saw}`, remedy: { text: refusal.remedy } }
  return { verdict: 'warning', saw, remedy: { text: 'The feed is busy. Try again later.' } }
}

/** Whether the metrics that the profile names answer; null where it names none. */
function checkMetrics({ metrics, profile }: Facts<'metrics'>): Judged | null {
  if (metrics === null) return null
  const asked = `GET ${shownAddress(profile.metrics ?? '')}`
  const without = 'Without it `capacity` tells less of what limited a target; "metrics": null leaves it out.'
  if ('failure' in metrics)
    return { verdict: 'warning', saw: `${asked}: ${metrics.failure}`, remedy: { text: without } }
  const saw = `${asked} answers ${metrics.value.status}`
  return metrics.value.status === 200
    ? { verdict: 'ok', saw }
    : { verdict: 'warning', saw, remedy: { text: without } }
}

/** Whether it is an exchange that answers, and no other server. */
function checkExchange({ rest, serves }: Pick<TargetFacts, 'rest' | 'serves'>): Judged | null {
  if ('failure' in rest) return null
  if ('value' in serves) return { verdict: 'ok', saw: '/tokens answers as an exchange may' }
  const { failure, hint } = serves
  return { verdict: 'problem', saw: failure, ...(hint === undefined ? {} : { remedy: { text: hint } }) }
}

function silent(
  asked: string,
  { failure, hint }: Extract<Tried<never>, { failure: string }>,
  text: string,
): Judged {
  return { verdict: 'problem', saw: `${asked}: ${failure}`, remedy: { text: hint ?? text } }
}

function tookMs({ sentMs, answeredMs }: TargetAnswer): number {
  return answeredMs - sentMs
}
