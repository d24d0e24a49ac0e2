import { type K6Out, outFlag } from '../../k6/k6-outs.ts'
import { RESULTS_FOLDER, RUNNER_VARIABLE } from './in-pods.ts'

const RUNNER = `$(${RUNNER_VARIABLE})`

/**
 * Arguments of `k6 run` for all runners alike. The operator splits them at spaces, and adds segment, script and address; no secret
 * may stand here. What runners print goes to the pod's log.
 */
export function runnerArguments({
  collectorUrl,
  outs,
}: {
  collectorUrl: string | null
  outs: readonly K6Out[]
}): string {
  return [
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    '--no-thresholds',
    '--summary-mode=disabled',
    '--tag',
    'trial=1',
    '--out',
    `series=${seriesOf(collectorUrl)}`,
    ...outs.flatMap((out) => ['--out', outFlag(out, RUNNER).replace('--out=', '')]),
  ].join(' ')
}

function seriesOf(collectorUrl: string | null): string {
  const name = `${SERIES_PREFIX}${RUNNER}.ndjson`
  return collectorUrl === null ? `${RESULTS_FOLDER}/${name}` : `${collectorUrl}/files/${name}`
}

const SERIES_PREFIX = 'series-'

/** What a runner of the run measured, by its number from 1 on: the name of the file at the collector. */
export function seriesNameOf(run: string, number: number): string {
  return `${SERIES_PREFIX}${run}-${number}.ndjson`
}
