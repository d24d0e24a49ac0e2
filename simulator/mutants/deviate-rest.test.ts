import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { alternativeChoices } from '../choices/alternative-choices.ts'
import type { Choices } from '../choices/choices.ts'
import { createTestBed } from '../exchange/test-bed.ts'
import { connectRaw } from '../http/test-raw-peer.ts'
import {
  all,
  between,
  by,
  credential,
  every,
  from,
  hurried,
  only,
  query,
  upTo,
  url,
  wallet,
} from './conditions.ts'
import type { RestDeviation } from './deviation.ts'
import {
  cookies,
  cut,
  edit,
  editAt,
  editRows,
  error,
  fromCache,
  hang,
  header,
  page,
  reset,
  rewrite,
  rows,
  stale,
  statusOnly,
  success,
  text,
} from './reactions.ts'

const SWAPS = () => ['GET /swaps']
const STATE = () => ['GET /protocol/state']

/** An exchange with this deviation, requested with an API token. */
async function deviating(rest: RestDeviation, choices?: Choices) {
  const bed = await createTestBed({ deviation: { rest: [rest] }, ...(choices && { choices }) })
  const token = bed.bearer()
  const request = async (path: string, { public: isPublic = false } = {}) => {
    const { statusCode, body, headers } = await bed.app.inject({ url: path, ...(isPublic ? {} : token) })
    return { statusCode, body, headers, json: () => JSON.parse(body) }
  }
  const statuses = async (...paths: readonly string[]) => {
    const found: number[] = []
    for (const path of paths) found.push((await request(path)).statusCode)
    return found
  }
  return { bed, send: request, statuses }
}

test.each([
  { name: 'query', when: query('limit', '1'), expected: [500, 200, 200, 500] },
  { name: 'a name by the choices', when: query(() => 'offset'), expected: [200, 500, 200, 200] },
  { name: 'between', when: between('limit', 2, 100), expected: [200, 500, 200, 200] },
  { name: 'from', when: from(2), expected: [200, 500, 500, 500] },
  { name: 'up to', when: upTo(1), expected: [500, 200, 200, 200] },
  { name: 'every', when: every(2), expected: [200, 500, 200, 500] },
  { name: 'from, for each wallet', when: from(3, wallet), expected: [200, 200, 500, 500] },
  { name: 'from, for each credential', when: from(3, credential), expected: [200, 200, 500, 500] },
  { name: 'from, for each URL', when: from(2, url), expected: [200, 200, 200, 500] },
  { name: 'all', when: all(query('limit', '1'), from(2)), expected: [200, 200, 200, 500] },
  { name: 'credential', when: by('session'), expected: [200, 200, 200, 200] },
  { name: 'in a hurry', when: hurried(1), expected: [200, 500, 500, 500] },
])('acts when the condition matches: $name', async ({ when, expected }) => {
  const { statuses } = await deviating({ routes: SWAPS, when, reply: error(500) })
  expect(await statuses('/swaps?limit=1', '/swaps?limit=2&offset=1', '/swaps', '/swaps?limit=1')).toEqual(
    expected,
  )
})

test('leaves other routes and error responses alone', async () => {
  const { statuses } = await deviating({ routes: SWAPS, reply: error(500) })
  expect(await statuses('/fee-tiers', '/swaps?limit=0', '/swaps')).toEqual([200, 400, 500])
})

test.each([
  {
    name: 'status',
    reply: statusOnly(203),
    shows: { statusCode: 203, body: expect.stringContaining('"data"') },
  },
  { name: 'error', reply: error(503, 'no'), shows: { statusCode: 503, body: '{"error":"no"}' } },
  { name: 'page', reply: page(200), shows: { statusCode: 200, body: expect.stringContaining('<html>') } },
  { name: 'success', reply: success(() => ({ data: 1 })), shows: { statusCode: 200, body: '{"data":1}' } },
  { name: 'text', reply: text((body) => body.slice(0, 3)), shows: { statusCode: 200, body: '{"d' } },
  {
    name: 'body',
    reply: edit((body) => Object.assign(body, { data: [] })),
    shows: { body: expect.stringMatching(/^\{"data":\[\]/) },
  },
  { name: 'rows', reply: rows(() => [7]), shows: { body: expect.stringMatching(/^\{"data":\[7\]/) } },
  {
    name: 'fields of rows',
    reply: editRows((row, number) => Object.assign(row, { id: number })),
    shows: { body: expect.stringMatching(/^\{"data":\[\{"id":0,/) },
  },
  {
    name: 'fields at a path',
    reply: editAt('pagination', (value) => Object.assign(value, { total: -1 })),
    shows: { body: expect.stringContaining('"total":-1') },
  },
  {
    name: 'header',
    reply: header('x-own', () => 'yes'),
    shows: { headers: expect.objectContaining({ 'x-own': 'yes' }) },
  },
])('changes what goes out: $name', async ({ reply, shows }) => {
  const { send } = await deviating({ routes: SWAPS, reply })
  const seen = await send('/swaps?limit=2')
  expect(seen).toMatchObject(shows)
  expect(seen.headers['content-length']).toBe(String(Buffer.byteLength(seen.body)))
})

test('serves a cached response of another wallet, and the first response for good', async () => {
  const leaking = await deviating({ routes: SWAPS, of: [401], reply: fromCache })
  const { body } = await leaking.send('/swaps')
  expect((await leaking.send('/swaps?limit=1', { public: true })).statusCode).toBe(401)
  expect(await leaking.send('/swaps', { public: true })).toMatchObject({ statusCode: 200, body })

  const old = await deviating({ routes: SWAPS, reply: stale })
  const first = await old.send('/swaps')
  old.bed.views.swaps = () => ({ rows: [], total: 0 })
  expect((await old.send('/swaps')).body).toBe(first.body)
  expect((await old.send('/swaps?limit=1')).json().data).toEqual([])
})

test('removes cookies', async () => {
  const { bed } = await deviating({
    routes: () => ['POST /auth/verify'],
    reply: cookies((cookie, { refresh }) => (cookie.startsWith(`${refresh}=`) ? undefined : cookie)),
  })
  const { cookies: set } = await bed.verify(bed.wallets.trader)
  expect(set.map(({ name }) => name)).toEqual(['access'])
})

test.each([
  { name: 'resets the connection', reply: reset, received: '' },
  { name: 'cuts the body', reply: cut(5), received: expect.stringMatching(/\r\n\r\n\{"dat$/) },
])('$name', async ({ reply, received }) => {
  const { peer } = await raw({ routes: STATE, reply })
  peer.socket.on('error', () => {})
  expect(String(await peer.ended)).toEqual(received)
})

test('never responds, and holds the connection', async () => {
  const { bed, peer } = await raw({ routes: STATE, reply: hang })
  expect((await bed.call('/health')).statusCode).toBe(200)
  expect([peer.socket.bytesRead, peer.socket.readyState]).toEqual([0, 'open'])
})

test('changes the query that the route sees, with the parameter names of the choices', async () => {
  const request = rewrite((query, { profile }) => query.delete(profile.swapsPoolFilter))
  for (const choices of [undefined, alternativeChoices]) {
    const { bed, send: get } = await deviating({ routes: SWAPS, request }, choices)
    const filter = (choices ?? (await createTestBed()).choices).profile.swapsPoolFilter
    const [all, filtered] = [await get('/swaps'), await get(`/swaps?${filter}=nothing`)]
    expect(filtered.json().data).toEqual(all.json().data)
    expect(bed.logLines.at(-1)).toContain('/swaps')
  }
})

test('changes what the route requires, and the body that it reads', async () => {
  const bed = await createTestBed({
    deviation: {
      rest: [
        { routes: () => ['POST /api-tokens'], when: from(2), needs: { csrf: false } },
        { routes: () => ['POST /api-tokens'], read: (body) => Object.assign(body, { name: 'other' }) },
      ],
    },
  })
  const { cookies: session, headers } = await bed.signIn()
  const create = (extra: object) =>
    bed.call('/api-tokens', { method: 'POST', body: { name: 'mine' }, cookies: session, ...extra })
  expect((await create({})).statusCode).toBe(403)
  expect((await create({})).json().data).toMatchObject({ name: 'other' })
  expect((await create({ headers })).json().data).toMatchObject({ name: 'other' })
})

test('conditions match one request at a time', async () => {
  const { statuses } = await deviating({
    routes: SWAPS,
    when: only(({ body, request }) => Array.isArray(body?.data) && request.method === 'GET'),
    reply: statusOnly(206),
  })
  expect(await statuses('/swaps')).toEqual([206])
})

async function raw(rest: RestDeviation) {
  const { bed } = await deviating(rest)
  await bed.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    bed.app.server.closeAllConnections()
    await bed.app.close()
  })
  const { port } = bed.app.server.address() as AddressInfo // as: it listens on a port
  const peer = await connectRaw(port)
  peer.write('GET /protocol/state HTTP/1.1\r\nhost: x\r\n\r\n')
  return { bed, peer }
}
