import type { Run } from '../contract/run.ts'
import type { FoldedSeries } from './series/fold-series.ts'

/** Of how the command and k6 ended. A search stops k6 on purpose, so there only the run's own state counts. */
export function noteRun({ state, k6, search }: Run): string[] {
  const ofK6 = search === null && state !== 'running'
  return [
    state === 'running' &&
      'run.json still says "running": the command that made this run was killed, or has not ended yet.',
    ofK6 && k6 === null && 'k6 was never run.',
    k6 !== null && k6.exitCode !== 0 && `k6 ended with ${k6.exitCode ?? 'no exit code'}: ${k6.meaning}.`,
  ].filter((note) => typeof note === 'string')
}

/** A sentence on iterations that the load generator dropped; none where it dropped none. */
export function noteDropped({ droppedIterations: dropped }: FoldedSeries): string[] {
  if (dropped === 0) return []
  return [
    `The load generator could not start ${dropped} iterations in time: over all routes they count as requests of infinite latency.`,
  ]
}

/** A load that was turned away at the door shows good latencies. */
export function noteMix({ mixClients }: FoldedSeries): string[] {
  const all = [...mixClients.values()].reduce((sum, count) => sum + count, 0)
  const [absent, refused] = ['absent', 'refused'].map((end) => mixClients.get(end) ?? 0)
  if (!absent && !refused) return []
  return [
    `Of ${all} clients of the mix ${absent} could not sign in and ${refused} left because they were refused (401, 403): the load was less than the mix says.`,
  ]
}

/** A sentence on findings about rules that are not in the catalogue; none where there are none. */
export function noteUnknown(unknownRules: readonly string[]): string[] {
  if (unknownRules.length === 0) return []
  return [`Findings on rules that the catalogue does not have decide nothing: ${unknownRules.join(', ')}.`]
}

/** The text with a capital at its beginning and a full stop at its end. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
