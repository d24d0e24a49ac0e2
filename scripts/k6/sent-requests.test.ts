import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { projectPath } from '../project.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import { oneTarget } from '../runs/worlds.ts'
import { bundleScript } from './bundle-script.ts'
import { findK6 } from './find-k6.ts'
import { k6Env } from './k6-args.ts'

// The kit's two ways to send, seen from the server, with the cached k6; these tests do not build one.
const k6 = await findK6({
  env: { ...process.env, PATH: '' },
  k6SourceDir: projectPath('k6'),
  onProgress: () => {},
}).catch(() => '')

let folder: string
let server: Server
let seen: IncomingMessage[]
let respond: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'breakwater-sent-'))
  seen = []
  respond = (_, response) => response.end('{}')
  server = createServer((request, response) => {
    seen.push(request)
    response.setHeader('Content-Type', 'application/json')
    respond(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const WAYS = ['await request', 'requestAlone'] as const

test.runIf(k6).each(WAYS)('%s: waits after a 429 and retries', async (way) => {
  respond = (_, response) => {
    if (seen.length === 1) response.writeHead(429, { 'Retry-After': '0' })
    response.end('{"data":[1]}')
  }
  const said = await run(`
    const reply = ${way}(target, { method: 'GET', path: '/pools', query: { limit: '1', search: 'a b' } })
    say([reply.status, reply.json, reply.contentType, reply.evidence()])`)
  expect(said).toEqual([
    [200, { data: [1] }, 'application/json', 'GET /pools?limit=1&search=a%20b -> 200 {"data":[1]}'],
  ])
  expect(seen.map(({ url }) => url)).toEqual(['/pools?limit=1&search=a%20b', '/pools?limit=1&search=a%20b'])
})

test.runIf(k6).each(WAYS)('%s: cookies of one response are not sent with other requests', async (way) => {
  respond = (_, response) => response.writeHead(200, { 'Set-Cookie': 'balancer=1; Path=/' }).end('{}')
  const said = await run(`
    const get = async () => ${way}(target, { method: 'GET', path: '/pools' })
    say((await get()).cookies)
    await get()`)
  expect(said).toEqual([[{ name: 'balancer', value: '1', httpOnly: false, path: '/' }]])
  expect(seen.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined])
})

test.runIf(k6).each(WAYS)(
  '%s: each request has the credential that it was given, and no other',
  async (way) => {
    await run(`
    const send = async (method, credential, more) => ${way}(target, { method, path: '/swaps', credential, ...more })
    await send('GET', { bearer: 'a' })
    await send('GET', { bearer: 'b' })
    await send('GET', undefined)
    await send('POST', { cookie: 's=1', csrf: 'c' }, { body: { x: 1 } })
    await send('GET', { cookie: 's=1', csrf: 'c' })
    await send('GET', undefined, { headers: { 'X-More': 'm' } })
    await send('GET', undefined)`)
    const printed = ['authorization', 'cookie', 'x-csrf-token', 'content-type', 'x-more', 'x-own'] as const
    expect(seen.map(({ headers }) => printed.map((name) => headers[name] ?? '').join(' '))).toEqual([
      'Bearer a     own',
      'Bearer b     own',
      '     own',
      ' s=1 c application/json  own',
      ' s=1    own',
      '    m own',
      '     own',
    ])
  },
)

test.runIf(k6).each(WAYS)('%s: drops an unread body and keeps the next one', async (way) => {
  respond = (_, response) => response.end('{"data":[1]}')
  const said = await run(`
    const get = async (more) => ${way}(target, { method: 'GET', path: '/pools', ...more })
    const unread = await get({ unread: true })
    say([unread.status, unread.text, (await get({})).text])`)
  expect(said).toEqual([[200, '', '{"data":[1]}']])
})

/** Runs the statements in one VU iteration; returns their output. */
async function run(statements: string): Promise<unknown[]> {
  const script = join(folder, 'entry.k6.ts')
  writeFileSync(
    script,
    `import { request, requestAlone, target } from '${projectPath('scenarios/kit.ts')}'
     const say = (what) => console.log(JSON.stringify(what))
     export default async function () {${statements}
     }`,
  )
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  const target: Target = {
    profile: profileSchema.parse({
      name: 'bare',
      baseUrl: `http://127.0.0.1:${port}/`,
      wsUrl: `ws://127.0.0.1:${port}`,
      headers: { 'X-Own': 'own' },
      credentials: {},
    }),
    wallets: [],
    apiTokens: [],
    controlToken: null,
  }
  const plan = {
    seed: 1,
    rules: [],
    slow: false,
    mix: null,
    target,
    durationSecondsMax: 60,
    requestsMax: null,
    refuses: { writes: null, load: null },
  }
  return await withScenarioConfig(
    { worlds: oneTarget(target).byName, plan, env: process.env, ca: null },
    async (env, scratch) => {
      const { file } = await bundleScript({ script, folder: scratch })
      const lines = await runForLines(['run', '--quiet', '--log-format=raw', '--address=', file], env)
      return lines.map((line) => JSON.parse(line))
    },
  )
}

/** k6's output; a script error does not parse as JSON. */
function runForLines(args: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(k6, args, { env: k6Env(env) }, (_, _stdout, stderr) => {
      resolve(stderr.split('\n').filter((line) => line !== ''))
    })
  })
}
