import type { LatencyMs, ObjectiveResult } from '../contract/report.ts'
import { getObjectiveKind, type Objective, type ObjectiveKind } from '../contract/slo.ts'
import { ALL_ROUTES } from './series/tally.ts'

/** Such as `p95 of pools at most 150 ms`, or `… in each 5 s`. */
export function objectiveText(objective: Objective | ObjectiveResult): string {
  const { windowSeconds } = objective
  const each = typeof windowSeconds === 'number' ? ` in each ${windowSeconds} s` : ''
  return `${describeObjective(objective)} at most ${limitText(objective)}${each}`
}

export function objectivesText(objectives: readonly (Objective | ObjectiveResult)[]): string {
  return objectives
    .map((objective) => objectiveText(objective))
    .sort()
    .join(', ')
}

function describeObjective(objective: Objective | ObjectiveResult): string {
  const kind = 'kind' in objective ? objective.kind : getObjectiveKind(objective)
  const who = 'routeGroup' in objective ? groupName(objective.routeGroup) : ''
  const which = 'quantile' in objective ? quantileName(objective.quantile) : ''
  const texts: Record<ObjectiveKind, string> = {
    latency: `${which} of ${who}`,
    errors: `errors of ${who}`,
    'rate-limited': `429s of ${who}`,
    dropped: 'dropped iterations',
    'feed-delay': `${which} of feed delay`,
    synchronize: `${which} of time to synchronize`,
    recover: `${which} of time to recover`,
  }
  return texts[kind]
}

function limitText(objective: Objective | ObjectiveResult): string {
  if ('latencyMsMax' in objective) return `${objective.latencyMsMax} ms`
  if ('errorRateMax' in objective) return percent(objective.errorRateMax)
  if ('rateLimitedRateMax' in objective) return percent(objective.rateLimitedRateMax)
  if ('droppedRateMax' in objective) return percent(objective.droppedRateMax)
  if ('feedDelayMsMax' in objective) return `${objective.feedDelayMsMax} ms`
  if ('recoverMsMax' in objective) return `${objective.recoverMsMax} ms`
  return `${objective.synchronizeMsMax} ms`
}

/** The observed value with its sample count, or why it is missing. */
export function observedText(objective: ObjectiveResult): string {
  const figures = figuresText(objective)
  const observed = figures === null ? null : `${figures}${basisText(objective)}`
  if (objective.reason === null) return observed ?? 'nothing'
  if (observed !== null && objective.verdict === 'fail') return `${observed}, ${objective.reason}`
  return observed !== null && objective.kind === 'feed-delay'
    ? `${observed}: ${objective.reason}`
    : objective.reason
}

/** Such as `p95 of pools at most 150 ms: 240 ms`. */
export function missedText(objective: ObjectiveResult): string {
  return `${objectiveText(objective)}: ${figuresText(objective) ?? observedText(objective)}`
}

function figuresText(objective: ObjectiveResult): string | null {
  switch (objective.kind) {
    case 'latency':
    case 'synchronize':
    case 'recover':
      return msText(objective.observedMs)
    case 'feed-delay':
      return objective.observedLowerBoundMs === objective.observedMs
        ? msText(objective.observedMs)
        : `between ${latencyText(objective.observedLowerBoundMs)} and ${latencyText(objective.observedMs)}`
    case 'errors':
      return shareText(objective.observedErrorRate)
    case 'rate-limited':
      return shareText(objective.observedRateLimitedRate)
    case 'dropped':
      return shareText(objective.observedDroppedRate)
  }
}

/** The sample count behind the figures; with windows, the figures are those of the worst window. */
function basisText({ kind, samples, windows }: ObjectiveResult): string {
  const counted = `${samples} ${COUNTED[kind]}`
  if (windows !== null)
    return ` in the worst of ${windows.judged} windows (${windows.failed} failed); ${counted} in total`
  return SHARES.includes(kind) ? ` of ${counted}` : ` over ${counted}`
}

const COUNTED: Readonly<Record<ObjectiveKind, string>> = {
  latency: 'requests',
  errors: 'requests',
  'rate-limited': 'requests',
  dropped: 'iterations',
  'feed-delay': 'events',
  synchronize: 'sockets',
  recover: 'sockets',
}

const SHARES: readonly ObjectiveKind[] = ['errors', 'rate-limited', 'dropped']

function msText(observedMs: LatencyMs): string | null {
  return observedMs === null ? null : latencyText(observedMs)
}

function shareText(share: number | null): string | null {
  return share === null ? null : percent(share)
}

export function latencyText(latencyMs: LatencyMs): string {
  if (latencyMs === null) return 'too few samples'
  return latencyMs === 'infinite' ? 'infinite' : `${figure(latencyMs)} ms`
}

/** A share from 0 to 1 as `12.5 %`, to three significant digits. */
export function percent(share: number): string {
  return `${figure(share * 100)} %`
}

/** To three significant digits, or all digits of the integer part if it has more. */
export function figure(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

function groupName(routeGroup: string): string {
  return routeGroup === ALL_ROUTES ? 'all requests' : routeGroup
}

function quantileName(quantile: number): string {
  return `p${Number((quantile * 100).toPrecision(6))}`
}
