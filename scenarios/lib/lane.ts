import type { Options } from 'k6/options'
import { config } from './config.ts'

/**
 * The k6 scenario of one behaviour: one VU, once. `exec` is the exported function that runs it.
 */
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

/** k6 reads the options of the first VU alone: the others need not make them, nor keep them. */
export function optionsOf(make: () => Options): Options | undefined {
  return __VU === 0 ? make() : undefined
}

/** Options of every entry file: tags that would make a series of each address are left out. */
export const COMMON_OPTIONS: Options = {
  systemTags: ['status', 'method', 'name', 'scenario', 'error_code', 'expected_response'],
  insecureSkipTLSVerify: false,
  discardResponseBodies: false,
  // A race is one only if its requests are not queued.
  batch: 100,
  batchPerHost: 100,
}
