import type { TrialOutcome } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'

/** How a run ended that did not end by itself. */
const ENDS: Readonly<Record<Exclude<Run['state'], 'finished'>, string>> = {
  running: 'was killed',
  interrupted: 'was interrupted',
  failed: 'broke off',
}

/** In sentences, what keeps a run from being what it was meant to be: it did not come to its end, or the target was not what it measured. */
export function runRemarks(options: {
  run: Pick<Run, 'state' | 'load'>
  /** Judged. */
  seconds: number
  /** As its report tells, if it does: of a held load that is the only one. */
  trials: readonly { outcome: TrialOutcome; because: string }[]
}): string[] {
  const { run, seconds, trials } = options
  const planned = run.load === null ? '' : `: ${seconds} of ${run.load.seconds} s were judged`
  const spoiled = run.load === null ? undefined : trials.find(({ outcome }) => outcome === 'generator')
  return [
    ...(run.state === 'finished' ? [] : [`It ${ENDS[run.state]}${planned}.`]),
    ...(spoiled === undefined ? [] : [`The load generator gave out, not the target: ${spoiled.because}.`]),
  ]
}
