import type { Options } from 'k6/options'
import { config } from './config.ts'

/** The k6 scenario of one behavior: one VU, one iteration. `exec` names the exported function to run. */
export function lane(exec: string): NonNullable<Options['scenarios']> {
  return {
    [exec]: {
      executor: 'per-vu-iterations',
      vus: 1,
      iterations: 1,
      maxDuration: `${config.durationSecondsMax}s`,
      gracefulStop: '5s',
      exec,
    },
  }
}

/** k6 reads only the first VU's options; building them elsewhere wastes memory. */
export function buildOptions(make: () => Options): Options | undefined {
  return __VU === 0 ? make() : undefined
}

/**
 * Options of every entry file. System tags with URLs are omitted, because each URL would become a time
 * series.
 */
export const COMMON_OPTIONS: Options = {
  systemTags: ['status', 'method', 'name', 'scenario', 'error_code', 'expected_response'],
  insecureSkipTLSVerify: false,
  discardResponseBodies: false,
  // Races need requests that are not queued.
  batch: 100,
  batchPerHost: 100,
}
