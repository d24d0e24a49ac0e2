import { totalmem } from 'node:os'
import process from 'node:process'

export type K6ArgsOptions = {
  script: string
  /** Written anew. */
  seriesFile: string
  /** Takes each console.log, .warn and .error of the script as a line of its own. k6 appends to it. */
  findingsFile: string
  /** Further flags of `k6 run`. */
  flags?: readonly string[]
}

/**
 * The arguments of one run. Parameters of the script go into the environment of the process, where it finds them in
 * __ENV: `-e` would show secrets to everybody who can list processes.
 */
export function k6Args({ script, seriesFile, findingsFile, flags = [] }: K6ArgsOptions): string[] {
  return [
    'run',
    '--quiet',
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    `--console-output=${findingsFile}`,
    `--out=series=${seriesFile}`,
    '--address=', // no REST API, hence no port that two runs fight for
    // k6 keeps every sample of every trend in memory for its end summary and for thresholds, for these even where there
    // are none. Verdicts come from series and findings, so both are off; a long run then needs no more than a short one.
    '--summary-mode=disabled',
    '--no-thresholds',
    ...flags,
    script,
  ]
}

/**
 * The environment of a run: the given one, but none of the user's own K6_ settings, which would override a scenario's; save those
 * that begin with one of `kept`: of outputs that were asked for. `processes`: how many k6 share the machine's memory.
 */
export function k6Env(
  env: NodeJS.ProcessEnv,
  { kept = [], processes = 1 }: { kept?: readonly string[] | undefined; processes?: number | undefined } = {},
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(
    ([name]) => !name.startsWith('K6_') || kept.some((prefix) => name.startsWith(prefix)),
  )
  return {
    GOMEMLIMIT: goMemoryLimit(processes),
    ...Object.fromEntries(others),
    K6_AUTO_EXTENSION_RESOLUTION: 'false', // else an import of k6/x/… downloads a binary
    K6_NO_USAGE_REPORT: 'true',
  }
}

/** Of the memory that there is: the rest is for the commands, a stub, and what else the machine does. */
const SHARE = 0.8

/**
 * GOMEMLIMIT of each of so many k6 processes, in bytes: near it, Go collects garbage more often rather than let memory grow. It is no hard
 * limit. Of the memory of this machine, or of the control group that this process is in.
 */
export function goMemoryLimit(processes: number, memoryBytes = availableBytes()): string {
  return String(Math.floor((memoryBytes * SHARE) / processes))
}

/** Without a control group Node says 0, or a number beyond all memory. */
function availableBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
