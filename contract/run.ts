/**
 * The run folder: its file names, and `run.json`, which says what was run, against what, and how to run it again.
 */
import { z } from 'zod'
import { searchGoalSchema } from './capacity.ts'
import { waiversSchema } from './finding.ts'

export const RUN_FILES = {
  run: 'run.json',
  series: 'series.ndjson',
  /** Of a search for capacity: contract/capacity.ts. */
  trials: 'trials.ndjson',
  findings: 'findings.ndjson',
  timeline: 'timeline.ndjson',
  timelineHtml: 'timeline.html',
  k6Stdout: 'k6.stdout.log',
  k6Stderr: 'k6.stderr.log',
  reportHtml: 'report.html',
  reportJson: 'report.json',
  junit: 'junit.xml',
  summary: 'summary.md',
  /** Of a comparison: contract/comparison.ts. Its runs are in the folders a and b. */
  comparisonJson: 'comparison.json',
  comparisonHtml: 'comparison.html',
  comparisonMd: 'comparison.md',
} as const

/** Part of the name of a run folder. */
const job = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'expected small letters, digits and hyphens')

/** In lists such as `mergedFrom` a space ends it. */
const id = z.string().regex(/^[A-Za-z0-9][\w.-]{0,127}$/, 'expected letters, digits, dots and hyphens')

/** One command as `shellLine` writes it: people paste it, and parts of it go into other commands. */
const command = z
  .string()
  .regex(
    /^breakwater(?: (?:[\w./:=@%+,-]|'[^']*'|\\')+)*$/,
    "expected one command of breakwater, with every word in '' that has other characters than those of paths",
  )

export const runSchema = z.object({
  version: z.literal(1),
  id,
  job,
  /** `running` in a folder whose command has ended means that it was killed. */
  state: z.enum(['running', 'finished', 'interrupted', 'failed']),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  target: z.object({ name: z.string(), baseUrl: z.string(), wsUrl: z.string(), control: z.boolean() }),
  world: z.string().nullable(),
  seed: z.number().nullable(),
  choices: z.string().nullable(),
  mutant: z.string().nullable(),
  strict: z.boolean(),
  /** The least share of the selected rules that had to be judged; null: any. */
  minJudged: z.number().min(0).max(1).nullable().default(null),
  versions: z.object({ breakwater: z.string(), node: z.string(), k6: z.string() }),
  /** The command line that repeats the run. */
  command,
  /** The ids of the rules that the run set out to judge. */
  rules: z.array(z.string()),
  /** Of a scenario of one's own: what a client sees where each of its rules holds. */
  ownRules: z.record(z.string(), z.string()).default({}),
  /** Failures that are put up with: contract/finding.ts. */
  waivers: waiversSchema.default([]),
  /** The case that was played. */
  repro: z.object({ name: z.string(), title: z.string(), story: z.string() }).nullable().default(null),
  /** The workload mix; null: none, or a run of before it was kept here. */
  mix: z.string().nullable().default(null),
  /** Iterations a second offered, and for how long, where one load was held throughout. */
  load: z
    .object({ rate: z.number(), warmUpSeconds: z.number(), seconds: z.number() })
    .nullable()
    .default(null),
  /** Figures of runs on machines of one class may be compared: `4 x AMD EPYC 7B13, linux x64, 16 GiB`. */
  machine: z.string().nullable().default(null),
  /** k6 processes that made the load together. */
  instances: z.int().positive().default(1),
  /** The runs that it was merged from: `ID (folder)`. */
  mergedFrom: z.array(z.string()).default([]),
  /** What every report of it has to say, in sentences, beside what the files show: how merging found them. */
  notes: z.array(z.string()).default([]),
  /** Of a search for capacity: what it was allowed, and when its result is told apart from others'. */
  search: searchGoalSchema
    .extend({
      secondsMax: z.number(),
      requestsMax: z.number().nullable(),
      stages: z.string().nullable(),
      /** Below it the run fails. */
      rateRequired: z.number().nullable(),
    })
    .nullable()
    .default(null),
  /** The service level objectives that the run is judged by: contract/slo.ts. */
  slo: z.unknown().nullable(),
  /** Why the objectives were not judged although they were selected, such as a load that the profile does not allow. */
  sloSkipped: z.string().nullable().default(null),
  k6: z.object({ exitCode: z.number().nullable(), reason: z.string(), meaning: z.string() }).nullable(),
})

/** The part of a rule's id that says that it is one's own. */
export const OWN_PREFIX = 'own.'

export type Run = z.infer<typeof runSchema>

/**
 * A timeline: what each actor of a reproduced case sent and got, in order. Scenarios write its entries as JSON lines; the
 * command numbers them and keeps them as timeline.ndjson.
 */
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
