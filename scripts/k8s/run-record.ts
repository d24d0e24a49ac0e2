/** The record of a run, kept as an annotation of its TestRun. No secrets. */
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { sloSchema } from '../../contract/slo.ts'
import { VERSION } from '../project.ts'
import { buildOfferedLoad, type ClusterLoadPlan } from './plan-cluster-load.ts'

export const RUN_ANNOTATION = 'breakwater/run'

const resultsPlaceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pod') }),
  z.object({ kind: z.literal('claim'), claim: z.string() }),
  z.object({ kind: z.literal('here'), host: z.string(), port: z.int() }),
])

/** Everything needed to collect, judge and report a run whose command is gone, or that never had one. */
export const runRecordSchema = z.object({
  version: z.literal(1),
  command: z.string(),
  /** Null: only rendered, so it started when its TestRun was created. */
  startedAt: z.iso.datetime().nullable(),
  target: z.object({ name: z.string(), baseUrl: z.string(), wsUrl: z.string() }),
  mix: z.string(),
  arrivals: z.string().nullable().default(null),
  load: z.object({ rate: z.number(), warmUpSeconds: z.number(), seconds: z.number() }),
  vusMax: z.number(),
  seed: z.number(),
  slo: sloSchema,
  strict: z.boolean(),
  parallelism: z.int().positive(),
  image: z.string(),
  /** Per runner: cores and bytes. */
  cpu: z.number(),
  memoryBytes: z.number(),
  results: resultsPlaceSchema,
  versions: z.object({ breakwater: z.string(), node: z.string() }),
})

export type RunRecord = z.infer<typeof runRecordSchema>

/**
 * Reads the record from a TestRun's annotations. Throws a BreakwaterError (environment) if it is missing or of another
 * version.
 */
export function readRunRecord(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string,
): RunRecord {
  const text = annotations?.[RUN_ANNOTATION]
  if (text === undefined) {
    throw new BreakwaterError(
      `TestRun ${name}: has no annotation ${RUN_ANNOTATION}, so it is not a run that can be collected`,
      {
        hint: '`kubectl get testruns` lists the existing ones; `breakwater k8s run` and `k8s render` make them.',
        exitCode: EXIT.environment,
      },
    )
  }
  const record = runRecordSchema.safeParse(parseRecord(text))
  if (record.success) return record.data
  throw new BreakwaterError(`TestRun ${name}: annotation ${RUN_ANNOTATION}: cannot be read`, {
    hint: 'Another version of Breakwater wrote it, or it was edited: run `k8s collect` with the version that made it.',
    exitCode: EXIT.environment,
    cause: record.error,
  })
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function buildRunRecord(
  plan: ClusterLoadPlan,
  { startedAt }: Pick<RunRecord, 'startedAt'>,
): RunRecord {
  const { command, target, mix, arrivals, constantLoad, seed, slo, strict, cluster } = plan
  const { name, baseUrl, wsUrl } = target.profile
  return {
    version: 1,
    command,
    startedAt,
    target: { name, baseUrl, wsUrl },
    mix: mix.name,
    arrivals: arrivals.name,
    load: constantLoad,
    vusMax: buildOfferedLoad(plan).vusMax,
    seed,
    slo,
    strict,
    parallelism: cluster.parallelism,
    image: cluster.image,
    cpu: cluster.cpu,
    memoryBytes: cluster.memoryBytes,
    results: cluster.results,
    versions: { breakwater: VERSION, node: process.version },
  }
}

/** Describes runners whose results are comparable, as `machineClass` does for machines: `4 pods of 2 cores, 1 GiB`. */
export function runnersText({
  parallelism,
  cpu,
  memoryBytes,
}: Pick<RunRecord, 'parallelism' | 'cpu' | 'memoryBytes'>): string {
  const cores = `${cpu} ${cpu === 1 ? 'core' : 'cores'}`
  return `${parallelism} ${parallelism === 1 ? 'pod' : 'pods'} of ${cores}, ${memoryText(memoryBytes)}`
}

function memoryText(bytes: number): string {
  const mebibytes = bytes / 2 ** 20
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${Math.round(mebibytes)} MiB`
}
