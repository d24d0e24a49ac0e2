import type { LatencyMs, ObjectiveResult } from '../contract/report.ts'
import { kindOf, type Objective, type ObjectiveKind } from '../contract/slo.ts'
import { ALL_ROUTES } from './series/group-routes.ts'

/** What an objective asks: `p95 of pools at most 150 ms`, `… in each 5 s`. */
export function objectiveText(objective: Objective | ObjectiveResult): string {
  const { windowSeconds } = objective
  const each = typeof windowSeconds === 'number' ? ` in each ${windowSeconds} s` : ''
  return `${whatOf(objective)} at most ${limitText(objective)}${each}`
}

function whatOf(objective: Objective | ObjectiveResult): string {
  const kind = 'kind' in objective ? objective.kind : kindOf(objective)
  const who = 'routeGroup' in objective ? groupName(objective.routeGroup) : ''
  const which = 'quantile' in objective ? quantileName(objective.quantile) : ''
  const texts: Record<ObjectiveKind, string> = {
    latency: `${which} of ${who}`,
    errors: `errors of ${who}`,
    refused: `429s of ${who}`,
    dropped: 'dropped iterations',
    'feed-delay': `${which} of feed delay`,
    synchronize: `${which} of time to synchronize`,
  }
  return texts[kind]
}

function limitText(objective: Objective | ObjectiveResult): string {
  if ('latencyMsMax' in objective) return `${objective.latencyMsMax} ms`
  if ('errorRateMax' in objective) return percent(objective.errorRateMax)
  if ('refusedRateMax' in objective) return percent(objective.refusedRateMax)
  if ('droppedRateMax' in objective) return percent(objective.droppedRateMax)
  if ('feedDelayMsMax' in objective) return `${objective.feedDelayMsMax} ms`
  return `${objective.synchronizeMsMax} ms`
}

/** What was observed of it, and on how much that rests; or why nothing can be said. */
export function observedText(objective: ObjectiveResult): string {
  const figures = observedFigures(objective)
  const worst = objective.windows === null ? '' : windowsText(objective.windows)
  const observed = figures === null ? null : `${figures}${worst}`
  if (objective.reason === null) return observed ?? 'nothing'
  return observed !== null && objective.kind === 'feed-delay'
    ? `${observed}: ${objective.reason}`
    : objective.reason
}

function observedFigures(objective: ObjectiveResult): string | null {
  const { samples } = objective
  switch (objective.kind) {
    case 'latency':
      return msText(objective.observedMs, `over ${samples} requests`)
    case 'errors':
      return shareText(objective.observedErrorRate, `of ${samples} requests`)
    case 'refused':
      return shareText(objective.observedRefusedRate, `of ${samples} requests`)
    case 'dropped':
      return shareText(objective.observedDroppedRate, `of ${samples} iterations`)
    case 'feed-delay':
      return objective.observedLeastMs === objective.observedMs
        ? msText(objective.observedMs, `over ${samples} events`)
        : msText(
            objective.observedMs,
            `at most, and ${latencyText(objective.observedLeastMs)} at least, over ${samples} events`,
          )
    case 'synchronize':
      return msText(objective.observedMs, `over ${samples} sockets`)
  }
}

function msText(observedMs: LatencyMs, over: string): string | null {
  return observedMs === null ? null : `${latencyText(observedMs)} ${over}`
}

function shareText(share: number | null, of: string): string | null {
  return share === null ? null : `${percent(share)} ${of}`
}

function windowsText({ judged, failed }: NonNullable<ObjectiveResult['windows']>): string {
  return `, in the worst of ${judged} windows; ${failed} failed`
}

/** A latency with its unit, to three figures. */
export function latencyText(latencyMs: LatencyMs): string {
  if (latencyMs === null) return 'too few samples'
  return latencyMs === 'infinite' ? 'infinite' : `${figure(latencyMs)} ms`
}

export function percent(share: number): string {
  return `${figure(share * 100)} %`
}

/** To three significant figures, but never fewer than the whole number has. */
export function figure(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

function groupName(routeGroup: string): string {
  return routeGroup === ALL_ROUTES ? 'all requests' : routeGroup
}

function quantileName(quantile: number): string {
  return `p${Number((quantile * 100).toPrecision(6))}`
}
