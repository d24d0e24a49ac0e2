import { readFileSync } from 'node:fs'
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

/** Limits of this machine and of a process on it; null: unknown here. */
type Provisions = { openFilesLimit: number | null; ephemeralPorts: number | null }

/** Files that k6 has open without any socket. */
const FILES_BESIDE_SOCKETS = 50

/** Warns of limits that a load may reach, a line each. A VU has a connection, and perhaps a socket of the feed. */
export function generatorWarnings(
  { vusMax, instances, socketsPerVu = 1 }: { vusMax: number; instances: number; socketsPerVu?: number },
  { openFilesLimit, ephemeralPorts }: Provisions = provisions(),
): string[] {
  const sockets = vusMax * socketsPerVu
  const files = Math.ceil(sockets / instances) + FILES_BESIDE_SOCKETS
  const count = (number: number) => number.toLocaleString('en')
  return [
    ...(openFilesLimit !== null && files > openFilesLimit
      ? [
          `${count(vusMax)} VUs may need ${count(files)} open files in a k6 process, and it may have ${count(openFilesLimit)}: raise the hard limit (ulimit -Hn), take more --instances, or less --max-vus`,
        ]
      : []),
    ...(ephemeralPorts !== null && sockets > ephemeralPorts
      ? [
          `${count(vusMax)} VUs may need ${count(sockets)} ports, and there are ${count(ephemeralPorts)}: widen net.ipv4.ip_local_port_range, take another machine besides (breakwater merge), or less --max-vus`,
        ]
      : []),
  ]
}

/** The hard limit: Go programs raise theirs to it as they begin. */
function provisions(): Provisions {
  let limits = ''
  try {
    limits = readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Not Linux: the limits are unknown, and nothing warns of them.
  }
  const hard = /^Max open files +\d+ +(\d+)/m.exec(limits)?.[1]
  return { openFilesLimit: hard === undefined ? null : Number(hard), ephemeralPorts: ephemeralPorts() }
}

/** Ports for outgoing connections; null: unknown here. */
export function ephemeralPorts(): number | null {
  try {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'latin1').trim().split(/\s+/)
    const [from = Number.NaN, to = Number.NaN] = range.map(Number)
    return to - from + 1
  } catch {
    return null
  }
}
