/** The live view of a hunt: its report so far, from what the search reports. */
import type { HuntDocument } from '../../contract/hunt-report.ts'
import type { HuntProgress } from '../../hunt/search.ts'
import { huntContent } from '../../reports/html/render-hunt.ts'
import { type LiveState, NO_DATA, waitingState } from '../../reports/html/render-live.ts'
import { countText } from '../../reports/hunt-text.ts'
import { buildHuntReport } from './build-hunt-report.ts'

type HuntFollower = {
  add(progress: HuntProgress, elapsedMs: number): void
  end(report: HuntDocument): void
  /** The newest state: the same object if nothing was added. */
  look(): Promise<LiveState>
}

/** Renders only when someone looks. */
export function followHunt(given: { startedAt: Date; command: string }): HuntFollower {
  let state = waitingState()
  let render: (() => LiveState) | undefined
  return {
    add(progress, elapsedMs) {
      render = () => runningState(progress, { ...given, elapsedMs })
    },
    end(report) {
      render = () => endedState(report)
    },
    async look() {
      state = render?.() ?? state
      render = undefined
      return state
    },
  }
}

function runningState(
  { shrinking, soFar }: HuntProgress,
  { elapsedMs, ...given }: { elapsedMs: number; startedAt: Date; command: string },
): LiveState {
  const report = buildHuntReport(soFar(), { ...given, files: [] })
  const { length: found } = report.findings
  const now = [
    ...(shrinking === null ? [] : [` It shrinks a violation of ${shrinking}.`]),
    ...(found === 0 ? [] : [` ${countText(found, 'finding')} so far.`]),
  ]
  return {
    isOver: false,
    title: 'running: breakwater hunt',
    status: `The hunt has not finished.${now.join('')}`,
    content: huntContent(report, { elapsedMs }).markup,
    data: NO_DATA,
  }
}

function endedState(report: HuntDocument): LiveState {
  return {
    isOver: true,
    title: `${report.verdict}: breakwater hunt`,
    status: `The hunt has ended: ${report.verdict}. This page no longer changes.`,
    content: huntContent(report).markup,
    data: NO_DATA,
  }
}
