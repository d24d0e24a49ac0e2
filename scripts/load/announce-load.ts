import { isLoopback } from '../../contract/addresses.ts'
import type { Mix } from '../../contract/mix.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import type { Slo } from '../../contract/slo.ts'
import { figure, objectiveText } from '../../reports/objective-text.ts'
import { ALL_ROUTES } from '../../reports/series/tally.ts'
import { samplesNeeded } from '../../reports/statistics/quantiles.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { LoadPlan } from './plan-load.ts'

/** What a target is in for, told before anything is sent to it. */
export function announceLoad(
  plan: Pick<LoadPlan, 'job' | 'target' | 'mix' | 'slo' | 'requestsMax' | 'durationSecondsMax'>,
  what: string,
): string[] {
  const { target, mix, slo, requestsMax, durationSecondsMax } = plan
  const requests = requestsMax === null ? 'as many requests as that takes' : `at most ${requestsMax} requests`
  const profile = target?.profile
  return [
    `${plan.job} of ${profile === undefined ? 'the stub' : `${profile.name}: ${profile.baseUrl}`}`,
    `  ${what}; mix ${mix.name}, objectives ${slo.name}`,
    `  at most ${durationSecondsMax} s, and ${requests}`,
    ...(mix.clients.some(({ credential }) => credential === 'session')
      ? ['  changes: clients sign in, make sessions, and end them']
      : []),
    ...(target?.apiTokens.length === 0 && mix.clients.some(({ credential }) => credential === 'api-token')
      ? ['  changes: wallets sign in and make API tokens for clients, which are revoked at the end']
      : []),
    ...(profile === undefined || isLoopback(profile.baseUrl) || profile.baseUrl.startsWith('https:')
      ? []
      : ['  not encrypted: http:// shows credentials to the network']),
  ].map((line) => visibleLine(line))
}

/** Warns of quantiles of all requests that a held load is too short for: they would neither hold nor break. A line each. */
export function tooShort(load: { slo: Slo; mix: Mix; rate: number; seconds: number }): string[] {
  const perSecond = load.rate * requestsPerIteration(load.mix)
  return load.slo.objectives.flatMap((objective) => {
    if (!('latencyMsMax' in objective) || objective.routeGroup !== ALL_ROUTES) return []
    const { quantile, windowSeconds } = objective
    // Shares of clients add up to 1 but for rounding.
    const seconds = Math.ceil(samplesNeeded(quantile) / perSecond - 1e-6)
    if (seconds <= (windowSeconds ?? load.seconds)) return []
    const what = windowSeconds === undefined ? 'a load of' : 'windows of'
    return [
      `${objectiveText(objective)}: will not be judged, as it takes ${samplesNeeded(quantile)} requests: at ${figure(load.rate)} a second ${what} ${seconds} s`,
    ]
  })
}
