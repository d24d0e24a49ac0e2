import exec from 'k6/execution'
import type { TimelineEntry, TimelineKind } from '../../contract/run.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { config } from './config.ts'
import { formatLine, redactor } from './redact.ts'

/** True while a case runs: only cases record a timeline. */
export const isRecording = config.repro !== null

/** True if only the scenario moves the clock; then the order of events is reproducible. */
export const isOrdered = config.repro?.pace === 'manual'

/** Default actor. */
const DEFAULT_ACTOR = 'client'
export const EXCHANGE = 'exchange'

type RecordEntry = (kind: TimelineKind, text: string, more?: Pick<TimelineEntry, 'rule' | 'place'>) => void

/** Total clock offset set by the scenario. */
let movedMs = 0
/** Socket events to write before the next entry. */
const held: (() => void)[] = []
/** Active races by actor. */
const races = new Map<string, number>()
let racesBegun = 0

/** Writes a timeline entry. Does nothing outside a case. */
export function recordEntry(
  target: Pick<Target, 'actor'>,
  kind: TimelineKind,
  text: string,
  more: Pick<TimelineEntry, 'rule' | 'place'> & { atMs?: number } = {},
): void {
  if (!isRecording) return
  for (const flush of held) flush()
  write(target, { kind, text, ...more })
}

function write(
  { actor = DEFAULT_ACTOR }: Pick<Target, 'actor'>,
  { atMs = caseMs(), ...rest }: Pick<TimelineEntry, 'kind' | 'text' | 'rule' | 'place'> & { atMs?: number },
): void {
  const race = races.get(actor)
  const entry: TimelineEntry = {
    timeline: 1,
    atMs,
    actor,
    ...rest,
    ...(race === undefined ? {} : { race }),
  }
  console.log(JSON.stringify({ ...entry, text: redactor.redact(entry.text) }))
}

/**
 * Returns a function that records socket events. In manual pace it buffers them until the VU's next entry and
 * writes them socket by socket, because the order between sockets is not reproducible.
 */
function createSocketRecorder(target: Pick<Target, 'actor'>): RecordEntry {
  if (!isOrdered) return (kind, text, more) => write(target, { kind, text, ...more })
  const waiting: Parameters<RecordEntry>[] = []
  held.push(() => {
    for (const [kind, text, more] of waiting.splice(0)) write(target, { kind, text, ...more })
  })
  return (...entry) => waiting.push(entry)
}

export function caseMs(): number {
  return movedMs + (isOrdered ? 0 : Math.round(exec.instance.currentTestRunDuration))
}

export function addMoved(ms: number): void {
  movedMs += ms
}

/** Groups the entries of these actors as one race until `end`. */
export function beginRace(actors: readonly string[]): { end(): void } {
  racesBegun++
  for (const actor of actors) races.set(actor, racesBegun)
  return {
    end() {
      for (const actor of actors) races.delete(actor)
    },
  }
}

export function isRacing(): boolean {
  return races.size > 0
}

export type FeedStory = {
  opened(): void
  /** The socket never opened. */
  refused(failure: string): void
  sent(text: string): void
  came(text: string): void
  closed(how: { code: number; reason: string }): void
}

const opened = new Map<string, number>()

/** Records the timeline of one socket; null outside a case. */
export function createFeedStory(target: Target): FeedStory | null {
  if (!isRecording) return null
  const comes = createSocketRecorder(target)
  let name = 'feed'
  return {
    opened() {
      const actor = target.actor ?? ''
      const count = (opened.get(actor) ?? 0) + 1
      opened.set(actor, count)
      if (count > 1) name = `feed ${count}`
      recordEntry(target, 'opened', name)
    },
    refused: (failure) => recordEntry(target, 'received', `${name} does not open: ${formatLine(failure)}`),
    sent: (text) => recordEntry(target, 'sent', `${name} ${formatLine(redactor.redactBody(text))}`),
    came: (text) => comes('received', `${name} ${formatLine(redactor.redactBody(text))}`),
    closed: ({ code, reason }) => comes('closed', formatLine(`${name} with ${code} ${reason}`).trim()),
  }
}
