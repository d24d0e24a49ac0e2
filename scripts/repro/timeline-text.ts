import type { TimelineEntry, TimelineKind } from '../../contract/timeline.ts'
import { secondsText } from '../../reports/timeline/scale.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { TerminalPaint } from '../paint.ts'

const COLOUR: Readonly<
  Record<TimelineKind, 'bold' | 'cyan' | 'green' | 'dim' | 'magenta' | 'red' | 'yellow'>
> = {
  step: 'bold',
  sent: 'cyan',
  came: 'green',
  opened: 'green',
  closed: 'yellow',
  time: 'dim',
  world: 'dim',
  fault: 'magenta',
  finding: 'red',
  verdict: 'bold',
  outcome: 'bold',
}

const KIND_WIDTH = Math.max(...Object.keys(COLOUR).map((kind) => kind.length))
const TEXT_MAX = 400

/** A line of the timeline for a terminal: time, actor, kind, text, rule; `actorWidth` is that of the longest so far. */
export function timelineText(
  { atMs, actor, kind, text, rule }: Omit<TimelineEntry, 'timeline'>,
  { actorWidth, paint }: { actorWidth: number; paint: TerminalPaint },
): string {
  const columns = [
    paint.dim(secondsText(atMs).padStart(10)),
    visibleLine(actor).padEnd(actorWidth),
    paint[COLOUR[kind]](kind.padEnd(KIND_WIDTH)),
    `${visibleLine(text, TEXT_MAX)}${rule === undefined ? '' : paint.dim(` [${visibleLine(rule)}]`)}`,
  ]
  return columns.join('  ')
}
