import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import type { Profile, Wallet } from '../../contract/profile.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { type InstancesRun, type RunInstancesOptions, runInstances } from '../../scripts/k6/instances.ts'
import { projectPath } from '../../scripts/project.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'

export type GivenStub = {
  stub: Stub
  /** Writes a profile of the stub, as a user would, and the wallets file, mode 0600, to the folder. */
  writeProfile(options?: { wallets?: readonly Wallet[]; more?: Partial<Profile> }): string
  control(path: string, body?: object): Promise<Record<string, unknown>>
  /** All requests in the stub's journal, except those to the ignored routes. */
  requests(ignored?: readonly string[]): Promise<RecordedRequest[]>
}
export type RecordedRequest = { number: number; kind: string; method: string; route: string }

/** A stub in real time, for tests with a target that the user names. Closed with the test. */
export async function givenStub(folder: string, more: Partial<StubOptions> = {}): Promise<GivenStub> {
  const stub = await startStub({
    ...{ world: 'tiny', seed: 7, mutant: null, pace: 'real' },
    ...more,
  })
  onTestFinished(() => stub.close())
  const given: GivenStub = {
    stub,
    writeProfile({ wallets = stub.wallets, more = {} } = {}) {
      const credentials = { ...stub.profile.credentials, wallets: 'wallets.json' }
      writeFileSync(join(folder, 'profile.json'), JSON.stringify({ ...stub.profile, credentials, ...more }))
      writeFileSync(join(folder, 'wallets.json'), JSON.stringify(wallets), { mode: 0o600 })
      return 'profile.json'
    },
    async control(path, body) {
      const response = await fetch(`${stub.profile.control}${path}`, {
        headers: { Authorization: `Bearer ${stub.controlToken}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return (await response.json()) as Record<string, unknown> // as: the control API responds with objects
    },
    async requests(ignored = []) {
      const entries: RecordedRequest[] = []
      for (let after: number | undefined = 0; after !== undefined; after = entries.at(-1)?.number) {
        const page = await given.control(`/journal?after=${after}&limit=1000`)
        const more = page.entries as RecordedRequest[] // as: the control API's format
        if (more.length === 0) break
        entries.push(...more)
      }
      return entries.filter(({ kind, route }) => kind === 'request' && !ignored.includes(route))
    },
  }
  return given
}

const kept = new Map<ChoiceSetName, { stub: Stub; snapshot: string }>()

afterAll(async () => {
  for (const { stub } of kept.values()) await stub.close()
})

/** A stub with manual clock and mining. One is shared and reset between tests; one with its own limit or nodes is not. */
export async function freshStub(
  choices: ChoiceSetName,
  own?: Pick<StubOptions, 'rateLimit' | 'deployment'>,
): Promise<Stub> {
  if (own !== undefined) {
    const stub = await start({ choices, ...own })
    onTestFinished(() => stub.close())
    return stub
  }
  const known = kept.get(choices)
  if (known === undefined) {
    const stub = await start({ choices })
    kept.set(choices, { stub, snapshot: stub.world.snapshot() })
    return stub
  }
  known.stub.world.revert(known.snapshot)
  return known.stub
}

async function start(options: Partial<StubOptions>): Promise<Stub> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual', ...options })
  stub.world.setMining({ mode: 'paused' })
  return stub
}

/** The k6 in BREAKWATER_K6, or the cached one; tests build none. */
export function cachedK6(): Promise<string> {
  return findK6({
    env: { ...process.env, PATH: '' },
    k6SourceDir: projectPath('k6'),
    onProgress: () => {},
  }).catch(() => '')
}

/** Runs 180 iterations, shared by the instances, with two requests each, one of which is rejected. */
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
       executor: 'shared-iterations', vus: 30, iterations: 180, maxDuration: '50s',
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

export async function countedBy(stub: Stub): Promise<Record<string, number>> {
  const lines = (await (await fetch(`${stub.profile.baseUrl}/metrics`)).text()).split('\n')
  const counts = lines
    .map((line) => /^breakwater_http_requests_total\{.*route="(\/pools[^"]*)".*\} (\d+)$/.exec(line))
    .filter((found) => found !== null)
  return Object.fromEntries(counts.map(([, route, count]) => [route ?? '', Number(count)]))
}
