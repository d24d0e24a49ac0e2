import { channel } from 'node:diagnostics_channel'
import type { Io } from '../io.ts'
import { VERSION } from '../project.ts'

/** Process-wide, because functions that log details do not get the `Io` of the command. */
const DETAILS = channel('breakwater:detail')

/** Logs a line for `--verbose`, without secrets. Costs nothing without a listener. */
export function logDetail(text: string): void {
  if (DETAILS.hasSubscribers) DETAILS.publish(text)
}

/** Runs the work and logs its duration, even if it fails: `report: 0.42 s`. */
export async function logDuration<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startMs = performance.now()
  try {
    return await work()
  } finally {
    logDetail(`${what}: ${((performance.now() - startMs) / 1000).toFixed(2)} s`)
  }
}

/** Forwards details from now on; `release` stops that. */
export function onDetail(listener: (text: string) => void): { release(): void } {
  const take = (text: unknown) => listener(String(text))
  DETAILS.subscribe(take)
  return { release: () => DETAILS.unsubscribe(take) }
}

/** Runs work that takes a moment: a terminal shows it, and `--verbose` logs its duration. */
export async function step<Result>(io: Io, what: string, work: () => Promise<Result>): Promise<Result> {
  io.status([what])
  try {
    return await logDuration(what, work)
  } finally {
    io.status(null)
  }
}

const SECONDS_WIDTH = 8

/** Prints details on stderr with the seconds since the command began; first the versions. */
export function printDetails(io: Io): { release(): void } {
  const startMs = performance.now()
  const listening = onDetail((text) => {
    const seconds = ((performance.now() - startMs) / 1000).toFixed(2)
    io.log(`${seconds.padStart(SECONDS_WIDTH)} s  ${text}`)
  })
  logDetail(`breakwater ${VERSION}, Node ${process.version}, ${process.platform} ${process.arch}`)
  return listening
}
