// How k6 checks its target before a load, with the cached k6; these tests do not build one.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Mix } from '../../contract/mix.ts'
import type { Profile } from '../../contract/profile.ts'
import { TARGET_CHECK, targetProblemIn } from '../../contract/response-bounds.ts'
import { cachedK6, givenStub } from '../../tools/test/given-stub.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { loadMix } from '../given-files.ts'
import { k6Env } from '../k6/k6-args.ts'
import { projectPath } from '../project.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import { oneTarget, toTarget } from '../runs/worlds.ts'

const k6 = await cachedK6()
const UNREACHABLE = '127.0.0.1:1'

type Case = { what: string; mix: string; profile(server: string): Partial<Profile>; says: string }

const REFUSED: readonly Case[] = [
  {
    what: 'nobody',
    mix: 'reads',
    profile: () => ({ baseUrl: `http://${UNREACHABLE}` }),
    says: `http://${UNREACHABLE}: GET /health -> no response (dial: connection refused)`,
  },
  {
    what: 'a server without such a path',
    mix: 'reads',
    profile: (server) => ({ baseUrl: `http://${server}/` }),
    says: 'http://SERVER/: GET /tokens: answered 404; expected 200: that is no exchange',
  },
  {
    what: 'an app that serves its page for every path',
    mix: 'reads',
    profile: (server) => ({ baseUrl: `http://${server}/app` }),
    says: 'http://SERVER/app: GET /tokens: returned 200 without JSON: that is no exchange',
  },
  {
    what: 'an exchange without WebSocket',
    mix: 'browser-traders',
    profile: () => ({ wsUrl: `ws://${UNREACHABLE}` }),
    says: `ws://${UNREACHABLE}/ws: dial tcp ${UNREACHABLE}: connect: connection refused`,
  },
]

test.runIf(k6).each(REFUSED)('$what is not loaded', { timeout: 60_000 }, async ({ mix, profile, says }) => {
  const server = await bareServer()
  const { exitCode, log, counted } = await load(mix, profile(server))
  expect([exitCode, targetProblemIn(log)?.replaceAll(server, 'SERVER')]).toEqual([
    TARGET_CHECK.exitCode,
    says,
  ])
  expect(counted).toBe(0)
})

const SERVED = [
  { what: 'an exchange', mix: 'reads', profile: () => ({}) },
  {
    what: 'an exchange whose WebSocket rejects the upgrade',
    mix: 'browser-traders',
    profile: (server: string) => ({ wsUrl: `ws://${server}` }),
  },
]

test.runIf(k6).each(SERVED)('$what is loaded', { timeout: 60_000 }, async ({ mix, profile }) => {
  const { exitCode, log, counted } = await load(mix, profile(await bareServer()))
  expect([exitCode, targetProblemIn(log)]).toEqual([0, undefined])
  expect(counted).toBeGreaterThan(0)
})

/** Serves only /app, always with its page. */
async function bareServer(): Promise<string> {
  const server = createServer((request, response) => {
    const isApp = request.url?.startsWith('/app') === true
    response.writeHead(isApp ? 200 : 404).end(isApp ? '<!doctype html><title>App</title>' : '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}` // as: it listens on a port
}

/** Runs one second of a mix against a stub with a modified profile; `counted`: requests of its pages by k6. */
async function load(mixName: string, more: Partial<Profile>) {
  const folder = temporaryFolder()
  const { stub } = await givenStub(folder)
  const target = { ...toTarget(stub), profile: { ...stub.profile, ...more }, controlToken: null }
  const mix: Mix = await loadMix(mixName, folder)
  const plan = {
    seed: 1,
    rules: [],
    slow: false,
    mix,
    target,
    durationSecondsMax: 1,
    requestsMax: null,
    refuses: { writes: null, load: null },
    load: {
      stages: [{ seconds: 1, rate: 20 }],
      rateFrom: 20,
      arrivals: { kind: 'even', file: null } as const,
      seed: 1,
      vusMax: 50,
      instances: 1,
    },
    checkTarget: true,
  }
  const ended = await withScenarioConfig(
    { worlds: oneTarget(target).byName, plan, env: process.env, ca: null },
    (env) => runK6(projectPath('dist/load.k6.js'), k6Env(env)),
  )
  const metrics = await (await fetch(`${stub.profile.baseUrl}/metrics`)).text()
  const requests = /^breakwater_http_requests_total\{.*route="\/(explore|pools).* \d+$/gm
  return { ...ended, counted: metrics.match(requests)?.length ?? 0 }
}

function runK6(script: string, env: NodeJS.ProcessEnv): Promise<{ exitCode: number; log: string }> {
  const args = ['run', '--quiet', '--no-color', '--log-format=raw', '--address=', '--summary-mode=disabled']
  return new Promise((resolve) => {
    const child = execFile(k6, [...args, script], { env }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, log: stdout + stderr }),
    )
  })
}
