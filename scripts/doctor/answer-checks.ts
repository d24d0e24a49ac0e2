/** Whether REST interface, feed and metrics of a target answer, and as such things do. */
import { shownAddress } from '../../contract/shown-address.ts'
import type { TargetAnswer } from '../ask-target.ts'
import { feedAddress, restAddress } from '../ask-target.ts'
import { explainPage, explainUpgrade } from '../explain-target.ts'
import type { Judged } from './finding.ts'
import type { TargetFacts, Tried } from './target-facts.ts'

type Facts<Name extends keyof TargetFacts> = Pick<TargetFacts, Name | 'profile'>

/** Whether the REST interface answers, and as an exchange does. */
export function checkRest({ rest, profile }: Facts<'rest'>): Judged {
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
export function checkFeed({ feed, profile }: Facts<'feed'>): Judged {
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
export function checkMetrics({ metrics, profile }: Facts<'metrics'>): Judged | null {
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
export function checkExchange({ rest, serves }: Pick<TargetFacts, 'rest' | 'serves'>): Judged | null {
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
