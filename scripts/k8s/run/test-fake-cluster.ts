/** A test cluster with scripted runs: records applied and deleted objects, and has a collector with files. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { SYNTHETIC_START } from '../../../reports/synthetic-run.ts'
import { writeRunnerSeries } from '../../../tools/bench/merge-runners.bench.ts'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { type Collector, createCollector } from '../collect/create-collector.ts'
import { collectorAt } from '../collect/request-collector.ts'
import { SEEN, type Seen } from '../diagnose/test-seen.ts'

export const RUN_ENDED: Seen = {
  ...SEEN.UNDER_WAY,
  pods: SEEN.UNDER_WAY.pods.map((pod) => ({
    ...pod,
    status: { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] },
  })),
}

/** Eight seconds of two runners at 40 requests/s, in a collector's folder, for each TestRun as the next trial. */
export async function measuredFiles(...runs: string[]): Promise<string> {
  const written = temporaryFolder()
  const files = await writeRunnerSeries({
    dir: written,
    runners: 2,
    seconds: 8,
    routes: 2,
    requestsPerSecond: 40,
  })
  const dir = join(written, 'collected')
  mkdirSync(dir)
  for (const [index, file] of files.entries()) {
    const [header, ...lines] = readFileSync(file, 'utf8').split('\n')
    const text = [header, LOAD_STARTS, ...lines].join('\n')
    for (const [before, run] of runs.entries()) {
      const ofTrial = text.replaceAll('"trial":"1"', `"trial":"${before + 1}"`)
      writeFileSync(join(dir, `series-${run}-${index + 1}.ndjson`), ofTrial)
    }
  }
  return dir
}

const LOAD_STARTS = JSON.stringify({
  time: SYNTHETIC_START,
  metric: 'load_start',
  type: 'gauge',
  contains: 'default',
  tags: { trial: '1', scenario: 'heartbeat' },
  ...Object.fromEntries(['sum', 'min', 'max', 'last'].map((field) => [field, SYNTHETIC_START * 1000])),
  count: 1,
})

/**
 * An empty cluster; `seen` lists the states of a TestRun, one per poll, with the name `run`; the last one stays. The
 * collector serves the files of `dir`.
 */
export function fakeCluster({
  seen: given,
  dir,
  onLook = () => {},
}: {
  seen: readonly Seen[] | ((testRun: string) => readonly Seen[])
  dir: string
  /** Awaited on each poll, with its number. */
  onLook?: (look: number) => unknown
}) {
  const held = new Map<string, KubeObject>()
  const done: string[] = []
  let looks = 0
  let collector: Promise<Collector> | undefined
  const buildKey = (kind: string, name: string) => `${kind} ${name}`
  const testRun = () => [...held.values()].find(({ kind }) => kind === 'TestRun')
  const moment = () => {
    const { name } = testRun()?.metadata ?? {}
    if (name === undefined) return undefined
    const seen = typeof given === 'function' ? given(name) : given
    return renamed(seen[Math.min(looks, seen.length - 1)], name)
  }
  const decodeToken = () => {
    const secret = [...held.values()].find(({ kind }) => kind === 'Secret')
    const { token = '' } = (secret?.data ?? {}) as { token?: string } // as: the Secret of a run
    return Buffer.from(token, 'base64').toString()
  }
  const cluster: Cluster = {
    namespace: 'team',
    get: async (kind, name) => {
      const object = held.get(buildKey(kind, name)) ?? null
      if (kind === 'Pod' && object !== null) return { ...object, status: READY } as never // as: the caller knows the kind
      if (kind !== 'TestRun' || object === null) return object as never
      return { ...object, ...moment()?.testRun, metadata: object.metadata } as never
    },
    async list(kind) {
      const now = moment()
      if (kind === 'Job' && now !== undefined) {
        looks += 1
        await onLook(looks)
      }
      const own = kind === 'Pod' ? [...held.values()].filter((object) => object.kind === 'Pod') : []
      const made = { Job: now?.jobs, Pod: now?.pods, Event: now?.events }[kind as string] ?? []
      return [...made, ...own.map((object) => ({ ...object, status: READY }))] as never
    },
    async apply(object) {
      done.push(`apply ${buildKey(object.kind, object.metadata.name)}`)
      const uid = object.kind === 'TestRun' ? 'uid-of-the-run' : undefined
      const applied = { ...object, metadata: { ...object.metadata, ...(uid && { uid }) } }
      held.set(buildKey(object.kind, object.metadata.name), applied)
      return (object.kind === 'Service' ? { ...applied, spec: { clusterIP: '10.0.0.9' } } : applied) as never
    },
    async patch() {},
    may: async () => true,
    async remove(kind, name) {
      done.push(`remove ${buildKey(kind, name)}`)
      const isThere = held.delete(buildKey(kind, name))
      // The TestRun owns the others.
      if (kind === 'TestRun') looks = 0
      return isThere
    },
    async removeAll() {},
    logs: async (pod) => ({ status: 200, headers: {}, body: Readable.from([`${pod} says something\n`]) }),
    async requestPod(pod, port, request) {
      done.push(`ask ${pod}:${port} ${request.method}`)
      if (port !== 8090) return { status: 200, headers: {}, body: Readable.from([]) }
      collector ??= createCollector({ dir, token: decodeToken(), host: '127.0.0.1', port: 0 })
      const { url } = await collector
      return collectorAt({ url, token: decodeToken() })(request)
    },
    async close() {},
  }
  onTestFinished(async () => (await collector)?.close())
  return { cluster, held, done, dir }
}

function renamed(seen: Seen | undefined, testRun: string): Seen | undefined {
  return seen && JSON.parse(JSON.stringify(seen).replaceAll(/"run(?=[-"])/g, `"${testRun}`))
}

const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
