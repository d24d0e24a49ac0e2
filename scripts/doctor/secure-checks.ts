/** The certificate and the clock of a target. */
import type { TargetAnswer } from '../ask-target.ts'
import type { Judged } from './finding.ts'
import type { TargetFacts } from './target-facts.ts'

const DAY_MS = 86_400_000
/** Those who renew certificates do so a month before. */
const DAYS_LEFT_LEAST = 14
const SKEW_MS_MAX = 2000

/** Whether the target's certificates are good, and for how long; null where it has none. */
export function checkCertificate({ rest, feed }: Pick<TargetFacts, 'rest' | 'feed'>): Judged | null {
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
export function checkTargetClock({ rest, profile }: Pick<TargetFacts, 'rest' | 'profile'>): Judged | null {
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
