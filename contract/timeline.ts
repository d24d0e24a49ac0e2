/**
 * A timeline: what each actor of a reproduced case sent and got, in order. Scenarios write its entries as JSON lines; the
 * command numbers them and keeps them as timeline.ndjson.
 */
import { z } from 'zod'

/** In the order of a legend. */
export const TIMELINE_KINDS = [
  /** A step of the story begins. */
  'step',
  /** A request or a frame goes out. */
  'sent',
  /** An answer, an event or a control comes in. */
  'came',
  'opened',
  'closed',
  /** The clock was moved on. */
  'time',
  /** Something else was done to the world through its control API: a block mined, the gateway restarted. */
  'world',
  /** An injected fault acted. */
  'fault',
  /** The observer found that a client breaks a rule. */
  'finding',
  /** A probe’s verdict on a rule of the target. */
  'verdict',
  /** How it ended for the actor; in races and storms alone, where the order in between is nobody’s to say. */
  'outcome',
] as const

export const timelineEntrySchema = z.object({
  timeline: z.literal(1),
  /** Milliseconds since the case began: of the virtual clock where the target has a control API, else of the generator’s. */
  atMs: z.number(),
  /** Who: a client of the case, or `exchange`. */
  actor: z.string().min(1),
  kind: z.enum(TIMELINE_KINDS),
  /** One line for people, secrets redacted. */
  text: z.string(),
  /** Of a finding or a verdict. */
  rule: z.string().optional(),
  /** Of those who act at once: the number of their race, from 1. */
  race: z.int().positive().optional(),
  /** Of an outcome in a race. */
  place: z.enum(['winner', 'loser']).optional(),
})

/** A line of timeline.ndjson. */
export const timelineLineSchema = timelineEntrySchema
  .omit({ timeline: true, place: true })
  .extend({ number: z.int().positive() })

export type TimelineEntry = z.infer<typeof timelineEntrySchema>
export type TimelineLine = z.infer<typeof timelineLineSchema>
export type TimelineKind = TimelineEntry['kind']
