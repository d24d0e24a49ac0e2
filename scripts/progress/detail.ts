import { channel } from 'node:diagnostics_channel'
import type { Io } from '../io.ts'
import { VERSION } from '../project.ts'

/** Of the process: what is told there comes from deep inside, where no command hands anything down. */
const DETAILS = channel('breakwater:detail')

/** Tells what `--verbose` shows, a line without secrets; costs nothing where nobody listens. */
export function detail(text: string): void {
  if (DETAILS.hasSubscribers) DETAILS.publish(text)
}

/** Does the work, and tells how long it took, also where it fails: `report: 0.42 s`. */
export async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startMs = performance.now()
  try {
    return await work()
  } finally {
    detail(`${what}: ${((performance.now() - startMs) / 1000).toFixed(2)} s`)
  }
}

/** Hands on what is told from now on. `release` ends that. */
export function onDetail(listener: (text: string) => void): { release(): void } {
  const take = (text: unknown) => listener(String(text))
  DETAILS.subscribe(take)
  return { release: () => DETAILS.unsubscribe(take) }
}

/** Does what takes a moment: a terminal shows it meanwhile, and `--verbose` tells how long it took. */
export async function step<Result>(io: Io, what: string, work: () => Promise<Result>): Promise<Result> {
  io.status([what])
  try {
    return await timed(what, work)
  } finally {
    io.status(null)
  }
}

const SECONDS_WIDTH = 8

/** Tells details on stderr, each with the seconds since the command began; first of all, what runs here. */
export function tellDetails(io: Io): { release(): void } {
  const startMs = performance.now()
  const listening = onDetail((text) => {
    const seconds = ((performance.now() - startMs) / 1000).toFixed(2)
    io.tell(`${seconds.padStart(SECONDS_WIDTH)} s  ${text}`)
  })
  detail(`breakwater ${VERSION}, Node ${process.version}, ${process.platform} ${process.arch}`)
  return listening
}
