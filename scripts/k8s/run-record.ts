/** What is known of a run in a cluster by the cluster alone: an annotation of its TestRun. No secrets. */
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { sloSchema } from '../../contract/slo.ts'
import { VERSION } from '../project.ts'
import { type ClusterLoadPlan, offeredLoadOf } from './plan-cluster-load.ts'

/** Of the TestRun, and of nothing else. */
export const RUN_ANNOTATION = 'breakwater/run'

const resultsPlaceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pod') }),
  z.object({ kind: z.literal('claim'), claim: z.string() }),
  z.object({ kind: z.literal('here'), host: z.string(), port: z.int() }),
])

/** All that is needed to gather, judge and report a run whose command is gone, or that had none. */
export const runRecordSchema = z.object({
  version: z.literal(1),
  /** The command line that made it. */
  command: z.string(),
  /** Null where it was only rendered: it began when its TestRun was created. */
  startedAt: z.iso.datetime().nullable(),
  target: z.object({ name: z.string(), baseUrl: z.string(), wsUrl: z.string() }),
  /** The name of the mix. */
  mix: z.string(),
  load: z.object({ rate: z.number(), warmUpSeconds: z.number(), seconds: z.number() }),
  /** Of all runners together. */
  vusMax: z.number(),
  seed: z.number(),
  slo: sloSchema,
  strict: z.boolean(),
  parallelism: z.int().positive(),
  image: z.string(),
  /** Of each runner: cores, and bytes. */
  cpu: z.number(),
  memoryBytes: z.number(),
  results: resultsPlaceSchema,
  versions: z.object({ breakwater: z.string(), node: z.string() }),
})

export type RunRecord = z.infer<typeof runRecordSchema>

/**
 * Reads the record of a TestRun of this name from its annotations. Throws a BreakwaterError (environment) where there is none, or
 * one of another version.
 */
export function readRunRecord(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string,
): RunRecord {
  const text = annotations?.[RUN_ANNOTATION]
  if (text === undefined) {
    throw new BreakwaterError(
      `TestRun ${name}: has no annotation ${RUN_ANNOTATION}, so it is none of breakwater`,
      {
        hint: '`kubectl get testruns` lists those that there are; `breakwater k8s run` and `k8s render` make them.',
        exitCode: EXIT.environment,
      },
    )
  }
  const record = runRecordSchema.safeParse(jsonOf(text))
  if (record.success) return record.data
  throw new BreakwaterError(`TestRun ${name}: annotation ${RUN_ANNOTATION}: cannot be read`, {
    hint: 'It was written by another version of breakwater, or changed since: gather it with the version that made it.',
    exitCode: EXIT.environment,
    cause: record.error,
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the cluster is told of a run, for whoever gathers it later. */
export function recordOfPlan(plan: ClusterLoadPlan, { startedAt }: Pick<RunRecord, 'startedAt'>): RunRecord {
  const { command, target, mix, heldLoad, seed, slo, strict, cluster } = plan
  const { name, baseUrl, wsUrl } = target.profile
  return {
    version: 1,
    command,
    startedAt,
    target: { name, baseUrl, wsUrl },
    mix: mix.name,
    load: heldLoad,
    vusMax: offeredLoadOf(plan).vusMax,
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
