/**
 * `breakwater/hunt`: searches for faults that make a client violate the specification (docs/guides/hunt.md), and examines
 * clients (docs/guides/certify.md). Only these exports are stable.
 */
import { resolve } from 'node:path'
import { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { CLIENT_RULES } from '../contract/client-rules.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { EXAMINATION, examine } from '../hunt/examination.ts'
import { CASES_HINT, readCases, writeCase } from '../hunt/hunt-case.ts'
import { type ClientPorts, createInProcessRunner, type InProcessClient } from '../hunt/run-in-process.ts'
import { huntWorldSchema } from '../hunt/schedule.ts'
import { type HuntFinding, type HuntReport, searchSchedules } from '../hunt/search.ts'
import { buildStatement, type Statement } from '../hunt/statement.ts'
import { requireWritableFolder } from '../scripts/make-folder.ts'
import { VERSION } from '../scripts/project.ts'
import { parseArguments } from './parse-arguments.ts'

export type { ClientPorts, HuntFinding, HuntReport, InProcessClient, Statement }
export { BreakwaterError }

export type HuntOptions = {
  /** Number of schedules, without the runs that shrink findings (default: 60). */
  schedules?: number
  /** Seed of the stub and of the search (default: 7). */
  seed?: number
  /** A world of docs/reference/worlds.md, or a JSON file (default: `tiny`). */
  world?: string
  /** How the stub fills in what the specification leaves open: docs/reference/choices.md. If several sets are given, each schedule draws one (default: `default`). */
  choices?: ChoiceSetName | readonly ChoiceSetName[]
  /** Length of a run in milliseconds of the virtual clock. If several are given, longer ones are drawn less often (default: 240000 and 1200000). */
  durationMs?: number | readonly number[]
  /** A folder: its cases run first, and the minimum of each finding is written to it (default: none). */
  cases?: string
}

/** An access session expires after 15 minutes. */
const DURATIONS_MS: readonly number[] = [240_000, 1_200_000]

/**
 * Runs the client under one schedule of faults after another, on a virtual clock and without a network: the same seed gives
 * the same findings. Throws a BreakwaterError if an option or a case is invalid, or if the client does not work without
 * faults.
 */
export async function hunt(client: InProcessClient, options: HuntOptions = {}): Promise<HuntReport> {
  const { choices = 'default', durationMs = DURATIONS_MS, ...given } = options
  const parsed = listValues(durationMs).flatMap((ms) =>
    listValues(choices).map((set) =>
      parseOptions('hunt', { client, given: { ...given, choices: set, durationMs: ms }, schema: huntSchema }),
    ),
  )
  const worlds = parsed.map(({ schedules: _, cases: __, ...world }) => world)
  const { schedules, cases, seed } = parsed[0] ?? huntSchema.parse({})
  const folder = cases === undefined ? null : { folder: resolve(cases), shown: cases }
  if (folder) await requireWritableFolder(folder.folder, { ...folder, hint: CASES_HINT })
  const report = await searchSchedules({
    run: createInProcessRunner(client),
    worlds,
    seed,
    schedulesMax: schedules,
    isExact: true,
    cases: folder ? await readCases(folder.folder, folder.shown) : [],
  })
  if (folder) for (const { minimum } of report.findings) writeCase(minimum, folder)
  return report
}

export type CertifyOptions = Pick<HuntOptions, 'seed' | 'world' | 'choices'> & {
  /** Name of the client, for the statement. */
  name: string
  /** Version of the client (default: none). */
  version?: string
}

/**
 * Runs the client under the fixed schedules of `breakwater certify`, on a virtual clock and without a network, and returns
 * the statement: `predicate.result` is `pass` if every rule was exercised and passed. The same seed gives the same statement,
 * except for its time. Throws a BreakwaterError if an option is invalid, or if the client does not work without faults.
 */
export async function certify(client: InProcessClient, options: CertifyOptions): Promise<Statement> {
  const given = parseOptions('certify', { client, given: options, schema: certifySchema })
  const { name, version, ...world } = given
  const time = new Date().toISOString()
  return buildStatement({
    client: { name, version, file: null },
    rules: CLIENT_RULES.map(({ id }) => id),
    runs: await examine({ run: createInProcessRunner(client), world }),
    examination: EXAMINATION,
    world,
    breakwater: VERSION,
    time,
  })
}

const huntSchema = huntWorldSchema.extend({
  schedules: z.int().min(1).default(60),
  cases: z.string().min(1).optional(),
})

const certifySchema = huntWorldSchema.extend({
  name: z.string().min(1),
  version: z.string().min(1).nullable().default(null),
})

/** An empty list is itself the value, which no schema accepts. */
function listValues(given: unknown): readonly unknown[] {
  return Array.isArray(given) && given.length > 0 ? given : [given]
}

const clientSchema = z.custom<InProcessClient>((given) => typeof given === 'function', 'expected a function')

/** Throws a BreakwaterError (usage) that lists every problem. */
function parseOptions<Schema extends z.ZodType>(
  call: 'hunt' | 'certify',
  { client, given, schema }: { client: unknown; given: unknown; schema: Schema },
): z.output<Schema> {
  const page = `docs/guides/${call}.md lists the options.`
  parseArguments(call, z.object({ client: clientSchema }), { client }, { page })
  return parseArguments(call, schema, given, { what: 'set of options', page })
}
