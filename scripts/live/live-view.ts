import type { Slo } from '../../contract/slo.ts'
import { followRunFolder } from '../../reports/follow-run.ts'
import { type LiveState, renderLivePage, waitingState } from '../../reports/html/render-live.ts'
import { visibleLine } from '../../reports/visible.ts'
import { serveLive } from './live-server.ts'

export type LiveView = {
  /** The address of the page. Whoever knows it can read the run, on this machine only. */
  url: string
  /** Shows this run folder from now on. */
  watch(folder: { dir: string; slo?: Slo }): void
  /** Shows these states from now on: the same object again if nothing changed. */
  show(look: () => Promise<LiveState>): void
  /** Shows the end of the run, and stops serving. */
  end(): Promise<void>
}

const LOOK_MS = 1000
/** Pauses for this many times as long as a look took: a long run is looked at less often. */
const PAUSE_FACTOR = 9

/**
 * Serves the live view of a run until `end`. Reads the run folder only while a page is open. `styles` are those of the page
 * (default: those of a report). Throws a BreakwaterError (environment) if it cannot listen.
 */
export async function openLiveView({ styles }: { styles?: readonly string[] } = {}): Promise<LiveView> {
  let look = async (): Promise<LiveState> => waitingState()
  let state = waitingState()
  let event = JSON.stringify(state)
  let looking: Promise<boolean> | undefined
  /** Resolves to whether the state changed. */
  const refresh = () => {
    looking ??= readState(look, state)
      .then((newest) => {
        if (newest === state) return false
        const text = JSON.stringify(newest)
        const isNew = text !== event
        state = newest
        event = text
        return isNew
      })
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const server = await serveLive({
    async getPage() {
      if (await refresh()) server.send(event)
      return renderLivePage(state, styles)
    },
    getEvent: () => event,
  })
  let timer: NodeJS.Timeout | undefined
  const repeat = async () => {
    const startedMs = performance.now()
    if (server.isWatched() && (await refresh())) server.send(event)
    if (timer !== undefined) start(Math.max(LOOK_MS, PAUSE_FACTOR * (performance.now() - startedMs)))
  }
  const start = (ms: number) => {
    timer = setTimeout(repeat, ms).unref()
  }
  start(LOOK_MS)
  return {
    url: server.url,
    watch(folder) {
      look = followRunFolder(folder)
    },
    show(given) {
      look = given
    },
    async end() {
      clearTimeout(timer)
      timer = undefined
      // One that began earlier may not have seen the end.
      await looking
      if (server.isWatched()) await refresh()
      await server.close(JSON.stringify(state.isOver ? state : { ...state, isOver: true, status: ENDED }))
    },
  }
}

const ENDED = 'The command has ended. This page no longer changes.'

/** An error changes only the status: it may be transient, and must never end the run. */
async function readState(look: () => Promise<LiveState>, before: LiveState): Promise<LiveState> {
  try {
    return await look()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...before, status: `The run folder cannot be read. ${visibleLine(message)}` }
  }
}
