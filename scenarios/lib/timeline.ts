import exec from 'k6/execution'
import type { TimelineEntry, TimelineKind } from '../../contract/run.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { config } from './config.ts'
import { lineOf, redactor } from './redact.ts'

/** Whether a case is played, so that somebody follows what each actor does. */
export const telling = config.repro !== null

/** Whether time moves only when the scenario moves it: then what happens is told in an order that repeats. */
export const isOrdered = config.repro?.pace === 'manual'

/** Who acts where nobody is named. */
const NOBODY = 'client'
export const EXCHANGE = 'exchange'

type Teller = (kind: TimelineKind, text: string, more?: Pick<TimelineEntry, 'rule' | 'place'>) => void

/** By how much the clock was moved so far. */
let movedMs = 0
/** What has to be told ahead of whatever is told next. */
const held: (() => void)[] = []
/** The races that are under way, by actor. */
const races = new Map<string, number>()
let racesBegun = 0

/** Tells the timeline what an actor did, or what befell it; nothing where no case is played. */
export function tell(
  target: Pick<Target, 'actor'>,
  kind: TimelineKind,
  text: string,
  more: Pick<TimelineEntry, 'rule' | 'place'> & { atMs?: number } = {},
): void {
  if (!telling) return
  for (const flush of held) flush()
  write(target, { kind, text, ...more })
}

function write(
  { actor = NOBODY }: Pick<Target, 'actor'>,
  { atMs = caseMs(), ...told }: Pick<TimelineEntry, 'kind' | 'text' | 'rule' | 'place'> & { atMs?: number },
): void {
  const race = races.get(actor)
  const entry: TimelineEntry = {
    timeline: 1,
    atMs,
    actor,
    ...told,
    ...(race === undefined ? {} : { race }),
  }
  console.log(JSON.stringify({ ...entry, text: redactor.redact(entry.text) }))
}

/**
 * A teller for what comes by itself, on a socket. Where the order repeats, it is told ahead of whatever its VU tells next,
 * socket by socket: which of two sockets was served first is nobody's to say.
 */
function tellerOfSocket(target: Pick<Target, 'actor'>): Teller {
  if (!isOrdered) return (kind, text, more) => write(target, { kind, text, ...more })
  const waiting: Parameters<Teller>[] = []
  held.push(() => {
    for (const [kind, text, more] of waiting.splice(0)) write(target, { kind, text, ...more })
  })
  return (...told) => waiting.push(told)
}

/** Milliseconds since the case began. */
export function caseMs(): number {
  return movedMs + (isOrdered ? 0 : Math.round(exec.instance.currentTestRunDuration))
}

/** The clock was moved on. */
export function addMoved(ms: number): void {
  movedMs += ms
}

/** What they do from here on is one race, until it ends. */
export function beginRace(actors: readonly string[]): { end(): void } {
  racesBegun++
  for (const actor of actors) races.set(actor, racesBegun)
  return {
    end() {
      for (const actor of actors) races.delete(actor)
    },
  }
}

/** Whether a race is on in this VU. */
export function isRacing(): boolean {
  return races.size > 0
}

export type FeedStory = {
  opened(): void
  /** It never opened. */
  refused(failure: string): void
  sent(text: string): void
  came(text: string): void
  closed(how: { code: number; reason: string }): void
}

/** How many sockets each actor has opened. */
const opened = new Map<string, number>()

/** Tells the timeline of one socket; null where no case is played. */
export function createFeedStory(target: Target): FeedStory | null {
  if (!telling) return null
  const comes = tellerOfSocket(target)
  let name = 'feed'
  return {
    opened() {
      const actor = target.actor ?? ''
      const count = (opened.get(actor) ?? 0) + 1
      opened.set(actor, count)
      if (count > 1) name = `feed ${count}`
      tell(target, 'opened', name)
    },
    refused: (failure) => tell(target, 'came', `${name} does not open: ${lineOf(failure)}`),
    sent: (text) => tell(target, 'sent', `${name} ${lineOf(redactor.redactBody(text))}`),
    came: (text) => comes('came', `${name} ${lineOf(redactor.redactBody(text))}`),
    closed: ({ code, reason }) => comes('closed', lineOf(`${name} with ${code} ${reason}`).trim()),
  }
}
