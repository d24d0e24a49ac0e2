import type { Options } from 'k6/options'
import type { Arrivals } from '../../../contract/scenario-config.ts'

type Scenario = NonNullable<Options['scenarios']>[string]

/** The executor of k6/arrivals, whose requests count from when they were due. */
type ArrivalOptions = {
  arrivals: Arrivals['kind']
  seed: number
  /** Iterations per second, changing linearly from one rate to the other. */
  stages: readonly { seconds: number; from: number; to: number }[]
  /** Only for a trace. */
  file?: string
  part?: { from: number; to: number }
  vus: number
  maxVUs?: number
  gracefulStop: string
  exec: string
  tags: Record<string, string>
  env: Record<string, string>
}

export function arrivalScenario(options: ArrivalOptions): Scenario {
  // as: k6's types know only its own executors.
  return { executor: 'breakwater-arrivals', ...options } as unknown as Scenario
}
