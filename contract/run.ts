/** The run folder: its file names, and `run.json`, which records the job, the target, and how to repeat the run. */
import { z } from 'zod'
import { searchGoalSchema } from './capacity.ts'
import { waiversSchema } from './finding.ts'
import { AXES } from './scenario-config.ts'

export const RUN_FILES = {
  run: 'run.json',
  series: 'series.ndjson',
  /** For a capacity search: contract/capacity.ts. */
  trials: 'trials.ndjson',
  findings: 'findings.ndjson',
  /** For a load with sessions: contract/history.ts. */
  history: 'history.log',
  histories: 'histories.json',
  timeline: 'timeline.ndjson',
  timelineHtml: 'timeline.html',
  k6Stdout: 'k6.stdout.log',
  k6Stderr: 'k6.stderr.log',
  reportHtml: 'report.html',
  reportJson: 'report.json',
  junit: 'junit.xml',
  summary: 'summary.md',
  /** For a comparison: contract/comparison.ts. Its runs are in the folders a and b. */
  comparisonJson: 'comparison.json',
  comparisonHtml: 'comparison.html',
  comparisonMd: 'comparison.md',
  /** For a hunt: contract/hunt-report.ts. */
  huntJson: 'hunt.json',
  huntHtml: 'hunt.html',
  /** For an exploration: contract/explore-report.ts. */
  exploreJson: 'explore.json',
  exploreHtml: 'explore.html',
} as const

/** Part of the name of a run folder. */
const job = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'expected small letters, digits and hyphens')

/** Without spaces, which separate entries in lists such as `mergedFrom`. */
const id = z.string().regex(/^[A-Za-z0-9][\w.-]{0,127}$/, 'expected letters, digits, dots and hyphens')

/** One command as `shellLine` writes it: users paste it, and parts of it go into other commands. */
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
  /** `running` after the command has ended means that it was killed. */
  state: z.enum(['running', 'finished', 'interrupted', 'failed']),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  target: z.object({ name: z.string(), baseUrl: z.string(), wsUrl: z.string(), control: z.boolean() }),
  world: z.string().nullable(),
  seed: z.number().nullable(),
  choices: z.string().nullable(),
  /** A digest of the choices in the profile of the target. Omitted: the target is a stub, or unknown. */
  profileChoices: z.string().optional(),
  mutant: z.string().nullable(),
  strict: z.boolean(),
  /** The required share of judged rules among the selected ones; null: none. */
  minJudged: z.number().min(0).max(1).nullable().default(null),
  versions: z.object({ breakwater: z.string(), node: z.string(), k6: z.string() }),
  /** The command line that repeats the run. */
  command,
  /** The ids of the selected rules. */
  rules: z.array(z.string()),
  /** For a custom scenario: the expected behavior for each of its rules. */
  customRules: z.record(z.string(), z.string()).default({}),
  /** Waived failures: contract/finding.ts. */
  waivers: waiversSchema.default([]),
  /** The case that was run. */
  repro: z.object({ name: z.string(), title: z.string(), story: z.string() }).nullable().default(null),
  /** The workload mix; null: none, or a run from before this field existed. */
  mix: z.string().nullable().default(null),
  /** When clients of the load arrived: `even`, `poisson`, or a recorded timeline; null: no load, or a run from before this field. */
  arrivals: z.string().nullable().default(null),
  /** Offered iterations per second and duration, if one load was held throughout. */
  load: z
    .object({ rate: z.number(), warmUpSeconds: z.number(), seconds: z.number() })
    .nullable()
    .default(null),
  /** Runs on machines of the same class can be compared: `4 x AMD EPYC 7B13, linux x64, 16 GiB`. */
  machine: z.string().nullable().default(null),
  /** k6 processes that shared the load. */
  instances: z.int().positive().default(1),
  /** The runs that were merged into this one: `ID (folder)`. */
  mergedFrom: z.array(z.string()).default([]),
  /** Notes for every report of the run, in sentences: problems that merging found. */
  notes: z.array(z.string()).default([]),
  /** For a capacity search: its limits, and the precision of its result. */
  search: searchGoalSchema
    .extend({
      secondsMax: z.number(),
      requestsMax: z.number().nullable(),
      stages: z.string().nullable(),
      /** Omitted: iterations per second. */
      axis: z.enum(AXES).optional(),
      /** Below it the run fails. */
      rateRequired: z.number().nullable(),
    })
    .nullable()
    .default(null),
  /** The service level objectives of the run: contract/slo.ts. */
  slo: z.unknown().nullable(),
  /** The reason why selected objectives were not judged, such as a load that the profile does not allow. */
  sloSkipped: z.string().nullable().default(null),
  k6: z.object({ exitCode: z.number().nullable(), reason: z.string(), meaning: z.string() }).nullable(),
})

/** The prefix of the ids of custom rules. */
export const OWN_PREFIX = 'own.'

export type Run = z.infer<typeof runSchema>

/**
 * A timeline: the messages that each actor of a case sent and received, in order. Scenarios write the entries as JSON lines;
 * the command numbers them and stores them as timeline.ndjson.
 */
/** In legend order. */
export const TIMELINE_KINDS = [
  /** A step of the story begins. */
  'step',
  /** A request or a frame goes out. */
  'sent',
  /** A response, an event or a control comes in. */
  'received',
  'opened',
  'closed',
  /** The clock was moved. */
  'time',
  /** Another action of the control API: a block mined, the gateway restarted. */
  'world',
  /** An injected fault was triggered. */
  'fault',
  /** The observer reported a client's violation of a rule. */
  'finding',
  /** A probe’s verdict on a rule of the target. */
  'verdict',
  /** The actor's outcome; only in races and storms, which leave the order in between undefined. */
  'outcome',
] as const

export const timelineEntrySchema = z.object({
  timeline: z.literal(1),
  /** Milliseconds since the case began, on the virtual clock if the target has a control API, otherwise on the generator’s. */
  atMs: z.number(),
  /** The actor: a client of the case, or `exchange`. */
  actor: z.string().min(1),
  kind: z.enum(TIMELINE_KINDS),
  /** One line for readers, with secrets redacted. */
  text: z.string(),
  /** For a finding or a verdict. */
  rule: z.string().optional(),
  /** For concurrent actors: the number of their race, from 1. */
  race: z.int().positive().optional(),
  /** For an outcome in a race. */
  place: z.enum(['winner', 'loser']).optional(),
})

/** A line of timeline.ndjson. */
export const timelineLineSchema = timelineEntrySchema
  .omit({ timeline: true, place: true })
  .extend({ number: z.int().positive() })

export type TimelineEntry = z.infer<typeof timelineEntrySchema>
export type TimelineLine = z.infer<typeof timelineLineSchema>
export type TimelineKind = TimelineEntry['kind']
