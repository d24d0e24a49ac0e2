import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { VERDICTS } from '../contract/finding.ts'
import { latencyMsSchema, RUN_VERDICTS, reportSchema } from '../contract/report.ts'
import { RUN_FILES, type Run } from '../contract/run.ts'
import { readRun, readRunFile } from './run-file.ts'

export type EarlierRun = { folder: string; run: Run; report: EarlierReport }

export type Earlier = { found: EarlierRun; reason: null } | { found: null; reason: string }

type Sibling = { folder: string; run: Run }

/** Limits the search to the folders that sort last: names of runs start with their time. */
const FOLDERS_MAX = 400
/** Bytes. No run writes a larger file. */
const RUN_FILE_MAX = 4_000_000

/**
 * The latest earlier run of the same kind in the same parent folder that has a report. Skips damaged runs. The same
 * folders always give the same result.
 */
export async function findEarlierRun(dir: string, run: Run): Promise<Earlier> {
  const parent = path.dirname(path.resolve(dir))
  const own = path.basename(path.resolve(dir))
  const folders = (await foldersIn(parent)).filter((name) => name !== own)
  const candidates: Sibling[] = []
  for (const folder of folders) {
    const sibling = await readSibling(parent, folder)
    if (sibling !== undefined && isEarlier(sibling.run, run)) candidates.push(sibling)
  }
  for (const { folder, run: earlier } of candidates.sort(newestFirst)) {
    const report = await readEarlierReport(path.join(parent, folder))
    if (report !== undefined) return { found: { folder, run: earlier, report }, reason: null }
  }
  return { found: null, reason: reasonFor(candidates.length) }
}

function reasonFor(candidates: number): string {
  return candidates === 0
    ? 'no earlier run of the same job, target, world, choices, mix and arrivals in this folder'
    : `none of the ${candidates} earlier runs in this folder has a readable report`
}

/** Skips links, which could lead anywhere. */
async function foldersIn(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .reverse()
    .slice(0, FOLDERS_MAX)
}

async function readSibling(parent: string, folder: string): Promise<Sibling | undefined> {
  const dir = path.join(parent, folder)
  try {
    const file = await lstat(path.join(dir, RUN_FILES.run))
    if (!file.isFile() || file.size > RUN_FILE_MAX) return undefined
    return { folder, run: await readRun(dir) }
  } catch (error) {
    if (error instanceof BreakwaterError || isFileError(error)) return undefined
    throw error
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function isEarlier(earlier: Run, run: Run): boolean {
  return (
    earlier.state === 'finished' &&
    earlier.id !== run.id &&
    Date.parse(earlier.startedAt) < Date.parse(run.startedAt) &&
    isSameKind(earlier, run)
  )
}

function newestFirst(a: Sibling, b: Sibling): number {
  return Date.parse(b.run.startedAt) - Date.parse(a.run.startedAt) || (a.folder < b.folder ? 1 : -1)
}

/** True if both runs tested the same target in the same way: only then are differences meaningful. */
function isSameKind(first: Run, second: Run): boolean {
  return TRAITS.every((trait) => trait(first) === trait(second)) && hasSameProfileChoices(first, second)
}

/** Runs of earlier versions did not record them. */
function hasSameProfileChoices(first: Run, second: Run): boolean {
  const [one, other] = [first.profileChoices, second.profileChoices]
  return one === undefined || other === undefined || one === other
}

const TRAITS: readonly ((run: Run) => string | null)[] = [
  ({ job }) => job,
  ({ target }) => target.name,
  ({ world }) => world,
  ({ choices }) => choices,
  ({ mix }) => mix,
  ({ arrivals }) => arrivals,
  ({ repro }) => repro?.name ?? null,
  ({ search }) => (search === null ? null : (search.axis ?? 'rate')),
  ({ search }) => search?.stages ?? null,
  ({ job, command }) => (job === 'run' ? scriptIn(command) : null),
]

function scriptIn(command: string): string | null {
  return command.split(/[\s'"=]+/).find((word) => /\.[cm]?[jt]s$/.test(word)) ?? null
}

/** The parts of a report that are compared; reports of other versions have them too. */
const earlierReportSchema = z.object({
  verdict: z.enum(RUN_VERDICTS),
  rules: z.array(z.object({ id: z.string(), verdict: z.enum(VERDICTS) })),
  slo: reportSchema.shape.slo.catch(null),
  capacity: z.object({ rate: z.number().nullable() }).nullable().catch(null),
  latency: z.object({ groups: z.array(z.object({ routeGroup: z.string(), p95: latencyMsSchema })) }),
})

export type EarlierReport = z.infer<typeof earlierReportSchema>

/** Bytes. */
const REPORT_MAX = 32_000_000

async function readEarlierReport(dir: string): Promise<EarlierReport | undefined> {
  const file = path.join(dir, RUN_FILES.reportJson)
  try {
    const text = await readRunFile(file, { bytesMax: REPORT_MAX })
    return earlierReportSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
