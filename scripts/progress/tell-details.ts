import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { detail, onDetail } from './detail.ts'

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
