import { join } from 'node:path'
import {
  RUN_FILES,
  type TimelineEntry,
  type TimelineKind,
  type TimelineLine,
  timelineEntrySchema,
} from '../../contract/run.ts'
import { writeWhole } from '../../reports/run-file.ts'
import { secondsText } from '../../reports/timeline.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { Io } from '../io.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { followLines } from '../progress/show-progress.ts'
import type { RunFolder } from '../runs/run-folder.ts'
import { runScript } from '../runs/with-run.ts'
import { paintFor, type TerminalPaint } from '../terminal-text.ts'
import type { ReproPlan } from './plan-repro.ts'

const LOOK_MS = 100

/** Passes on timeline entries as scenarios write them into their findings; `stop` returns all of them. */
export function followTimeline(options: { file: string; onEntry: (entry: TimelineEntry) => void }): {
  stop(): Promise<readonly TimelineEntry[]>
} {
  const { file, onEntry } = options
  const entries: TimelineEntry[] = []
  let looking = Promise.resolve()

  const take = (line: string) => {
    const entry = readEntry(line)
    if (entry === undefined) return
    entries.push(entry)
    onEntry(entry)
  }
  const lines = followLines(file, take)
  const lookOn = () => {
    looking = looking.then(lines.look)
    return looking
  }
  const timer = setInterval(() => void lookOn(), LOOK_MS)
  return {
    async stop() {
      clearInterval(timer)
      await lookOn()
      return entries
    },
  }
}

function readEntry(line: string): TimelineEntry | undefined {
  if (!line.startsWith('{"timeline":1')) return undefined
  try {
    return timelineEntrySchema.parse(JSON.parse(line))
  } catch {
    // Another VU wrote into this line.
    return undefined
  }
}

/** Runs the case until it ends or is interrupted; prints the timeline and saves it. */
export async function runCase(options: {
  plan: ReproPlan
  k6: string
  env: NodeJS.ProcessEnv
  folder: RunFolder
  io: Io
}): Promise<K6Run> {
  const { plan, folder, io } = options
  const printer = createTimelinePrinter(io)
  const timeline = followTimeline({
    file: folder.file(RUN_FILES.findings),
    onEntry: plan.json ? () => {} : printer.print,
  })
  try {
    return await runScript(folder, {
      k6: options.k6,
      script: plan.script,
      env: options.env,
      io,
      rules: plan.rules.length,
      secondsMax: plan.durationSecondsMax,
    })
  } finally {
    const lines = orderRaces(await timeline.stop())
    printer.end()
    await writeWhole(
      join(folder.dir, RUN_FILES.timeline),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
  }
}

const ACTORS_MAX = 20
const ACTOR_WIDTH_MIN = 10

/** Prints all entries of the first actors as they come, and a count for the others. */
export function createTimelinePrinter(io: Io): { print(entry: TimelineEntry): void; end(): void } {
  const paint = paintFor(io)
  const shown = new Set<string>()
  const others = new Set<string>()
  let hidden = 0
  let actorWidth = ACTOR_WIDTH_MIN
  return {
    print(entry) {
      const { actor } = entry
      if (shown.size < ACTORS_MAX) shown.add(actor)
      if (shown.has(actor)) {
        actorWidth = Math.max(actorWidth, actor.length)
        io.stdout(timelineText(entry, { actorWidth, paint }))
      } else {
        others.add(actor)
        hidden++
      }
    },
    end() {
      if (hidden > 0) io.stdout(`and ${hidden} entries of ${others.size} more actors in the timeline`)
    },
  }
}

const COLOR: Readonly<
  Record<TimelineKind, 'bold' | 'cyan' | 'green' | 'dim' | 'magenta' | 'red' | 'yellow'>
> = {
  step: 'bold',
  sent: 'cyan',
  received: 'green',
  opened: 'green',
  closed: 'yellow',
  time: 'dim',
  world: 'dim',
  fault: 'magenta',
  finding: 'red',
  verdict: 'bold',
  outcome: 'bold',
}

const KIND_WIDTH = Math.max(...Object.keys(COLOR).map((kind) => kind.length))
const TEXT_MAX = 400

function timelineText(
  { atMs, actor, kind, text, rule }: Omit<TimelineEntry, 'timeline'>,
  { actorWidth, paint }: { actorWidth: number; paint: TerminalPaint },
): string {
  const columns = [
    paint.dim(secondsText(atMs).padStart(10)),
    visibleLine(actor).padEnd(actorWidth),
    paint[COLOR[kind]](kind.padEnd(KIND_WIDTH)),
    `${visibleLine(text, TEXT_MAX)}${rule === undefined ? '' : paint.dim(` [${visibleLine(rule)}]`)}`,
  ]
  return columns.join('  ')
}

/**
 * Numbers the entries for timeline.ndjson. The entries of a race are grouped by actor, in their own order, and actors
 * are named by how they ended: the winner is random, so the same outcome always gives the same timeline. Nothing is
 * left out.
 */
export function orderRaces(entries: readonly TimelineEntry[]): TimelineLine[] {
  const handled = new Set<number>()
  const ordered = entries.flatMap((entry) => {
    if (entry.race === undefined) return [entry]
    if (handled.has(entry.race)) return []
    handled.add(entry.race)
    return orderRace(entries.filter(({ race }) => race === entry.race))
  })
  return ordered.map(({ timeline: _version, place: _place, ...rest }, index) => ({
    number: index + 1,
    ...rest,
  }))
}

function orderRace(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const contestants = [...new Set(entries.map(({ actor }) => actor))].map((name) =>
    entries.filter(({ actor }) => actor === name),
  )
  const of = (place: TimelineEntry['place']) =>
    contestants
      .filter((own) => own.findLast((entry) => entry.place !== undefined)?.place === place)
      .sort((a, b) => (formatStory(a) < formatStory(b) ? -1 : 1))
  return [
    ...of('winner').flatMap((own, index, all) =>
      named(own, all.length === 1 ? 'winner' : `winner-${index + 1}`),
    ),
    ...of('loser').flatMap((own, index) => named(own, `loser-${index + 1}`)),
    ...of(undefined).flat(),
  ]
}

function named(entries: readonly TimelineEntry[], actor: string): TimelineEntry[] {
  return entries.map((entry) => ({ ...entry, actor }))
}

function formatStory(entries: readonly TimelineEntry[]): string {
  return entries.map(({ kind, text }) => `${kind} ${text}`).join('\n')
}
