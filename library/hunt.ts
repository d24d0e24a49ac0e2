/** `breakwater/hunt`: searches for faults that make a client violate the specification (docs/guides/hunt.md). Only these exports are stable. */
import { resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { parseJsonFile } from '../contract/json-file.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { readCases, writeCase } from '../hunt/case-files.ts'
import { type ClientPorts, createInProcessRunner, type InProcessClient } from '../hunt/run-in-process.ts'
import { huntWorldSchema } from '../hunt/schedule.ts'
import { type HuntFinding, type HuntReport, searchSchedules } from '../hunt/search.ts'

export type { ClientPorts, HuntFinding, HuntReport, InProcessClient }
export { BreakwaterError }

export type HuntOptions = {
  /** Number of schedules, without the runs that shrink findings (default: 60). */
  schedules?: number
  /** Seed of the stub and of the search (default: 7). */
  seed?: number
  /** A world of docs/reference/worlds.md, or a JSON file (default: `tiny`). */
  world?: string
  /** How the stub fills in what the interface leaves open: docs/reference/choices.md. Of several, each schedule draws one (default: `default`). */
  choices?: ChoiceSetName | readonly ChoiceSetName[]
  /** Length of a run in milliseconds of the virtual clock; of several, long ones are drawn less often (default: 240000 and 1200000). */
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
  const {
    schedules = 60,
    cases,
    choices = 'default',
    durationMs = DURATIONS_MS,
    seed = 7,
    ...given
  } = options
  const worlds = [durationMs].flat().flatMap((ms) =>
    [choices].flat().map((set) =>
      parseJsonFile({
        file: 'hunt',
        text: JSON.stringify({ ...given, seed, choices: set, durationMs: ms }),
        schema: huntWorldSchema,
        what: 'set of options',
        hint: 'docs/guides/hunt.md lists the options.',
      }),
    ),
  )
  const folder = cases === undefined ? null : { folder: resolve(cases), shown: cases }
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
