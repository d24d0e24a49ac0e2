import type { LatencyMs, ObjectiveResult } from '../contract/report.ts'
import { ALL_ROUTES } from './series/group-routes.ts'

/** What an objective asks: `p95 of pools at most 150 ms`. */
export function objectiveText(objective: ObjectiveResult): string {
  const who = objective.routeGroup === ALL_ROUTES ? 'all requests' : objective.routeGroup
  return objective.kind === 'latency'
    ? `${quantileName(objective.quantile)} of ${who} at most ${objective.latencyMsMax} ms`
    : `errors of ${who} at most ${percent(objective.errorRateMax)}`
}

/** What was observed of it, and on how many requests that rests; or why nothing can be said. */
export function observedText(objective: ObjectiveResult): string {
  if (objective.reason !== null) return objective.reason
  return objective.kind === 'latency'
    ? `${latencyText(objective.observedMs)} over ${objective.samples} requests`
    : `${percent(objective.observedErrorRate ?? 0)} of ${objective.samples} requests`
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

function quantileName(quantile: number): string {
  return `p${Number((quantile * 100).toPrecision(6))}`
}
