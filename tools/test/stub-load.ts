/** For tests: a load on a stub's public reads, and what the stub counted of it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { type InstancesRun, type RunInstancesOptions, runInstances } from '../../scripts/k6/instances.ts'
import { projectPath } from '../../scripts/project.ts'
import type { Stub } from '../../simulator/stub.ts'

/** The k6 that BREAKWATER_K6 names or that is cached; tests build none. */
export function cachedK6(): Promise<string> {
  return findK6({
    env: { ...process.env, PATH: '' },
    k6SourceDir: projectPath('k6'),
    onProgress: () => {},
  }).catch(() => '')
}

/** Offers 90 iterations a second for two seconds, each with two requests, one of which is refused. */
export function loadStub(
  options: Pick<RunInstancesOptions, 'binary' | 'instances' | 'folder'> &
    Partial<Pick<RunInstancesOptions, 'outs' | 'env' | 'signal'>> & { stub: Stub },
): Promise<InstancesRun> {
  const { stub, folder } = options
  const script = join(folder, 'script.ts')
  writeFileSync(
    script,
    `import http from 'k6/http'
     export const options = { scenarios: { load: {
       executor: 'constant-arrival-rate', rate: 90, duration: '2s', preAllocatedVUs: 30,
     } } }
     const tags = (name) => ({ tags: { name, route_group: 'reads' } })
     export default function () {
       http.get('${stub.profile.baseUrl}/pools?limit=1', tags('/pools'))
       http.get('${stub.profile.baseUrl}/pools/none', tags('/pools/:key'))
     }`,
  )
  return runInstances({
    env: process.env,
    cwd: folder,
    deadlineMs: 60_000,
    graceMs: 10_000,
    script,
    findingsFile: join(folder, 'findings.ndjson'),
    ...options,
  })
}

/** How many requests of each of the two routes the stub itself counted. */
export async function countedBy(stub: Stub): Promise<Record<string, number>> {
  const lines = (await (await fetch(`${stub.profile.baseUrl}/metrics`)).text()).split('\n')
  const counts = lines
    .map((line) => /^breakwater_http_requests_total\{.*route="(\/pools[^"]*)".*\} (\d+)$/.exec(line))
    .filter((found) => found !== null)
  return Object.fromEntries(counts.map(([, route, count]) => [route ?? '', Number(count)]))
}
