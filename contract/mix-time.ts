import type { Mix, MixClient, MixTime } from './mix.ts'
import { isCycle, MIX_CYCLES } from './mix-cycles.ts'

/** Plain code, also imported by scenarios inside k6. */
export function meanSeconds(time: MixTime): number {
  if (time.distribution === 'constant') return time.seconds
  if (time.distribution === 'uniform') return (time.minSeconds + time.maxSeconds) / 2
  if (time.distribution === 'exponential') return time.meanSeconds
  return time.medianSeconds * Math.exp(time.sigma ** 2 / 2)
}

/** Returns the mean session length of the mix's clients, weighted by arrival rate. */
export function computeMeanSessionSeconds({ clients }: Pick<Mix, 'clients'>): number {
  const all = clients.reduce((sum, { arrivalRate }) => sum + arrivalRate, 0)
  return clients.reduce(
    (sum, { arrivalRate, sessionDuration }) => sum + (arrivalRate / all) * meanSeconds(sessionDuration),
    0,
  )
}

/** Returns the mean time that a step of the client waits for other things than responses. */
export function computeStepSeconds({ steps }: Pick<MixClient, 'steps'>): number {
  const weights = steps.reduce((sum, { weight }) => sum + weight, 0)
  return steps.reduce((sum, { weight, requests }) => {
    const seconds = requests.map((name) => (isCycle(name) ? MIX_CYCLES[name].seconds : 0))
    return sum + (weight / weights) * Math.max(...seconds)
  }, 0)
}

/** Requests of a session other than its steps: sign-in, sign-out, nonce, ticket, occasional refresh. */
const EXTRA_REQUESTS: Readonly<Record<MixClient['credential'], number>> = {
  none: 0,
  'api-token': 0,
  session: 4,
}
/** Assumed response time: clients think between a response and the next request. */
const RESPONSE_SECONDS = 0.05

/** Estimates the average number of requests per client of the mix. */
export function requestsPerIteration(mix: Mix): number {
  const all = mix.clients.reduce((sum, { arrivalRate }) => sum + arrivalRate, 0)
  return mix.clients.reduce((sum, client) => sum + (client.arrivalRate / all) * countRequests(client), 0)
}

function countRequests({ sessionDuration, thinkTime, steps, credential }: MixClient): number {
  const weights = steps.reduce((sum, { weight }) => sum + weight, 0)
  const ofStep = steps.reduce(
    (sum, { weight, requests }) => sum + (weight / weights) * countStep(requests),
    0,
  )
  const seconds = meanSeconds(sessionDuration)
  const count = seconds === 0 ? 1 : Math.max(1, seconds / (meanSeconds(thinkTime) + RESPONSE_SECONDS))
  return count * ofStep + EXTRA_REQUESTS[credential]
}

function countStep(requests: readonly string[]): number {
  return requests.reduce((sum, name) => sum + (isCycle(name) ? MIX_CYCLES[name].requests : 1), 0)
}

/** Estimates the average number of requests of all clients of the mix. */
export function countRequestsPerSession(mix: Mix): number {
  const arrivals = mix.clients.reduce((sum, { arrivalRate }) => sum + arrivalRate, 0)
  const present = mix.start === 'steady' ? computeMeanSessionSeconds(mix) : 0
  return arrivals * (mix.durationSeconds + present) * requestsPerIteration(mix)
}
