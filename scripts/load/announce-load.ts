import { readFileSync } from 'node:fs'
import { isLoopback } from '../../contract/addresses.ts'
import type { Mix } from '../../contract/mix.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import { SOCKETS_PER_VU } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import { figure, objectiveText } from '../../reports/objective-text.ts'
import { ALL_ROUTES } from '../../reports/series/tally.ts'
import { samplesNeeded } from '../../reports/statistics/quantiles.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { LoadPlan } from './plan-load.ts'

export function announceLoad(
  plan: Pick<LoadPlan, 'job' | 'target' | 'mix' | 'slo' | 'requestsMax' | 'durationSecondsMax'> & {
    /** Null: no clients arrive. */
    arrivals: LoadPlan['arrivals'] | null
  },
  what: string,
): string[] {
  const { target, mix, arrivals, slo, requestsMax, durationSecondsMax } = plan
  const arrive = arrivals === null ? '' : `, arrivals ${arrivals.name}`
  const requests = requestsMax ? `at most ${requestsMax} requests` : 'an unlimited number of requests'
  const profile = target?.profile
  return [
    `${plan.job} of ${profile === undefined ? 'the stub' : `${profile.name}: ${profile.baseUrl}`}`,
    `  ${what}; mix ${mix.name}${arrive}, objectives ${slo.name}`,
    `  at most ${durationSecondsMax} s, and ${requests}`,
    ...(mix.clients.some(({ credential }) => credential === 'session')
      ? ['  changes: clients sign in, and create and end sessions']
      : []),
    ...(target?.apiTokens.length === 0 && mix.clients.some(({ credential }) => credential === 'api-token')
      ? ['  changes: wallets sign in and create API tokens for clients, which are revoked at the end']
      : []),
    ...(profile === undefined || isLoopback(profile.baseUrl) || profile.baseUrl.startsWith('https:')
      ? []
      : ['  not encrypted: http:// shows credentials to the network']),
  ].map((line) => visibleLine(line))
}

/** Warns, one line each, of percentiles over all requests that the load is too short to judge. */
export function tooShort(load: { slo: Slo; mix: Mix; rate: number; seconds: number }): string[] {
  const perSecond = load.rate * requestsPerIteration(load.mix)
  return load.slo.objectives.flatMap((objective) => {
    if (!('latencyMsMax' in objective) || objective.routeGroup !== ALL_ROUTES) return []
    const { quantile, windowSeconds } = objective
    // Client shares sum to 1 except for rounding.
    const seconds = Math.ceil(samplesNeeded(quantile) / perSecond - 1e-6)
    if (seconds <= (windowSeconds ?? load.seconds)) return []
    const what = windowSeconds === undefined ? 'a load of' : 'windows of'
    return [
      `${objectiveText(objective)}: will not be judged: it needs ${samplesNeeded(quantile)} requests: at ${figure(load.rate)}/s ${what} ${seconds} s`,
    ]
  })
}

type Provisions = { openFilesLimit: number | null; ephemeralPorts: number | null }

/** Other machines have limits that are unknown here. */
export const UNKNOWN_LIMITS: Provisions = { openFilesLimit: null, ephemeralPorts: null }

const OTHER_FILES = 50

/** Warns, one line each, of limits that a load may reach. A VU has a connection and possibly a WebSocket. */
export function generatorWarnings(
  { vusMax, instances, socketsPerVu = 1 }: { vusMax: number; instances: number; socketsPerVu?: number },
  { openFilesLimit, ephemeralPorts }: Provisions = provisions(),
): string[] {
  const sockets = vusMax * socketsPerVu
  const files = Math.ceil(sockets / instances) + OTHER_FILES
  const count = (number: number) => number.toLocaleString('en')
  return [
    ...(openFilesLimit !== null && files > openFilesLimit
      ? [
          `${count(vusMax)} VUs may need ${count(files)} open files in a k6 process, but the limit is ${count(openFilesLimit)}: raise the hard limit (ulimit -Hn), raise --instances, or lower --max-vus`,
        ]
      : []),
    ...(ephemeralPorts !== null && sockets > ephemeralPorts
      ? [
          `${count(vusMax)} VUs may need ${count(sockets)} ports, but there are ${count(ephemeralPorts)}: widen net.ipv4.ip_local_port_range, add another machine (breakwater merge), or lower --max-vus`,
        ]
      : []),
  ]
}

/** The number of sockets that the load generator can open, and its limit. */
type SocketRoom = { sockets: number; limit: string }

/** The number of sockets that VUs, open files and ports of this machine allow. Each VU also has a connection for requests. */
export function findSocketRoom(
  { vusMax, instances }: { vusMax: number; instances: number },
  { openFilesLimit, ephemeralPorts }: Provisions = provisions(),
): SocketRoom {
  const fitting = (connections: number) => Math.floor((connections * SOCKETS_PER_VU) / (SOCKETS_PER_VU + 1))
  const count = (number: number) => number.toLocaleString('en')
  const rooms: SocketRoom[] = [
    {
      sockets: vusMax * SOCKETS_PER_VU,
      limit: `${count(vusMax)} VUs of ${SOCKETS_PER_VU} sockets (--max-vus)`,
    },
    ...(openFilesLimit === null
      ? []
      : [
          {
            sockets: fitting(instances * Math.max(0, openFilesLimit - OTHER_FILES)),
            limit: `${count(openFilesLimit)} open files in each of ${instances} k6 processes (ulimit -Hn, --instances)`,
          },
        ]),
    ...(ephemeralPorts === null
      ? []
      : [
          {
            sockets: fitting(ephemeralPorts),
            limit: `${count(ephemeralPorts)} ports of this machine (net.ipv4.ip_local_port_range)`,
          },
        ]),
  ]
  return rooms.reduce((least, each) => (each.sockets < least.sockets ? each : least))
}

/** The hard limit: Go programs raise theirs to it when they start. */
function provisions(): Provisions {
  let limits = ''
  try {
    limits = readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Not Linux: limits are unknown, so no warnings.
  }
  const hard = /^Max open files +\d+ +(\d+)/m.exec(limits)?.[1]
  return { openFilesLimit: hard === undefined ? null : Number(hard), ephemeralPorts: ephemeralPorts() }
}

export function ephemeralPorts(): number | null {
  try {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'latin1').trim().split(/\s+/)
    const [from = Number.NaN, to = Number.NaN] = range.map(Number)
    return to - from + 1
  } catch {
    return null
  }
}
