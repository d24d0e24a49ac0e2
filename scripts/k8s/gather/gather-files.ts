import { setTimeout as pause } from 'node:timers/promises'
import type { Problem } from './question-collector.ts'
import { type TakeOptions, takeNewLines } from './take-new-lines.ts'

export type GatherOptions = Pick<TakeOptions, 'request'> & {
  /** What the collector calls a file, and where it goes. */
  files: readonly { name: string; file: string }[]
  /** Where other files of the collector go, by their names; null: they are left there. */
  fileOf?: (name: string) => string | null
  /** Waits so long, or until the signal: another clock for tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Gathering = {
  /**
   * Looks until all is there that the collector has now, or cannot be had, for a minute at most; `problem` tells. Throws a BreakwaterError (environment) where
   * this machine's disk has not taken it.
   */
  finish(): Promise<void>
  /** Ends at once, with what was taken. Never throws. */
  stop(): Promise<void>
  /** Why the last look did not take all, in words; null: it did. */
  problem(): string | null
}

const LOOK_MS = 2000
/** More runners are looked at less often: each costs the API server a request. */
const LOOK_MS_EACH = 100
/** A collector that is started again is there after some seconds. */
const LAST_LOOKS = 12
const LAST_LOOK_MS = 5000

/** Takes what a collector gets, every few seconds, until it is to finish or to stop. */
export function gatherFiles(options: GatherOptions): Gathering {
  const { request, files, fileOf = () => null, wait = waitMs } = options
  const places = new Map(files.map(({ name, file }) => [name, file]))
  const waking = new AbortController()
  const stopping = new AbortController()
  let problems: readonly Problem[] = []
  const look = async () => {
    problems = await takeNewLines({
      request,
      signal: stopping.signal,
      fileOf: (name) => places.get(name) ?? fileOf(name),
    })
  }
  const following = (async () => {
    while (!waking.signal.aborted) {
      await look()
      await wait(Math.max(LOOK_MS, files.length * LOOK_MS_EACH), waking.signal)
    }
  })()
  following.catch(() => {}) // told by `finish`
  return {
    problem: () => shown(problems),
    async finish() {
      waking.abort()
      await following
      for (let looks = 0; looks < LAST_LOOKS && !stopping.signal.aborted; looks++) {
        if (looks > 0) await wait(LAST_LOOK_MS, stopping.signal)
        await look()
        if (problems.every(({ passes }) => !passes)) return
      }
    },
    async stop() {
      waking.abort()
      stopping.abort()
      await following.catch(() => {})
    },
  }
}

/** The first stands for all of them: they mostly have one cause. */
function shown([first, ...others]: readonly Problem[]): string | null {
  if (first === undefined) return null
  return others.length === 0 ? first.text : `${first.text}; and ${others.length} more`
}

async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {}) // woken
}
