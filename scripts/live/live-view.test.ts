import { once } from 'node:events'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LiveState } from '../../reports/html/render-live.ts'
import { requests } from '../../reports/series/test-points.ts'
import { makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { openLiveView, serveLive } from './live-view.ts'
import { fetchLive, liveEvents, nextOf } from './test-live-client.ts'

async function open() {
  const view = await openLiveView()
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= view.end()
    return ended
  }
  onTestFinished(end)
  return { ...view, end }
}

/** A run that is still going on, with one second of requests. */
async function makeRunning() {
  const dir = temporaryFolder()
  const run = { job: 'load', state: 'running', finishedAt: null } as const
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 0, series: [], run })
  const series = join(dir, 'series.ndjson')
  const header = readFileSync(series, 'utf8').split('\n')[0] ?? ''
  writeFileSync(series, `${header}\n`)
  const add = (second: number) =>
    appendFileSync(series, `${JSON.stringify(requests(30, 8, { time: SYNTHETIC_START + second }))}\n`)
  const setState = (state: string) => {
    const file = join(dir, 'run.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), state }))
  }
  add(0)
  return { dir, add, setState }
}

async function nextState(events: ReturnType<typeof liveEvents>): Promise<LiveState> {
  return JSON.parse((await nextOf(events)).data)
}

test('sends the growing run, and its end', { timeout: 60_000 }, async () => {
  const { dir, add, setState } = await makeRunning()
  const view = await open()
  const events = liveEvents(view.url)
  expect(await nextState(events)).toMatchObject({ isOver: false, status: 'The run has not started yet.' })
  view.watch({ dir })
  expect((await nextState(events)).content).toContain('30 in 1 s, 0 failed')
  add(1)
  expect((await nextState(events)).content).toContain('60 in 2 s, 0 failed')
  setState('finished')
  const ended = view.end()
  const last = await nextState(events)
  expect(last).toMatchObject({ isOver: true })
  expect(last.status).toMatch(/^The run has ended: inconclusive\./)
  expect((await events.next()).done).toBe(true)
  await ended
})

test('a page that is opened later has the newest state', async () => {
  const { dir, add } = await makeRunning()
  const view = await open()
  view.watch({ dir })
  add(1)
  expect((await fetchLive(view.url)).body).toContain('60 in 2 s, 0 failed')
})

test('a folder that cannot be read changes only the status', { timeout: 60_000 }, async () => {
  const { dir } = await makeRunning()
  const view = await open()
  view.watch({ dir })
  await fetchLive(view.url)
  const events = liveEvents(view.url)
  const before = await nextState(events)
  rmSync(join(dir, 'run.json'))
  const after = await nextState(events)
  expect(after.status).toContain('The run folder cannot be read.')
  expect(after.status).toContain('run.json is missing')
  expect(after.content).toBe(before.content)
})

test('a command that ends before its run says so', async () => {
  const view = await open()
  const events = liveEvents(view.url)
  await nextState(events)
  const ended = view.end()
  expect(await nextState(events)).toMatchObject({
    isOver: true,
    status: 'The command has ended. This page no longer changes.',
  })
  await ended
})

async function openServed() {
  const server = await serveLive({ getPage: async () => '<p>page</p>', getEvent: () => 'first' })
  let isOpen = true
  const close = async (data: string) => {
    isOpen = false
    await server.close(data)
  }
  onTestFinished(async () => {
    if (isOpen) await close('end')
  })
  return { ...server, close, port: Number(new URL(server.url).port), token: new URL(server.url).pathname }
}

test('listens on the loopback only, and serves the page under its token', async () => {
  const { url, token } = await openServed()
  expect(new URL(url).hostname).toBe('127.0.0.1')
  expect(token).toMatch(/^\/[\w-]{32}\/$/)
  const { status, headers, body } = await fetchLive(url)
  expect([status, body]).toEqual([200, '<p>page</p>'])
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "frame-ancestors 'none'",
  })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('every server has its own token', async () => {
  expect((await openServed()).token).not.toBe((await openServed()).token)
})

test.each([
  { what: 'no token', path: () => '/' },
  { what: 'a token that is too short', path: (token: string) => token.slice(0, -2) },
  { what: 'a wrong token', path: (token: string) => token.replaceAll(/\w/g, 'a') },
  { what: 'a wrong token for the events', path: (token: string) => `${token.replaceAll(/\w/g, 'a')}events` },
  { what: 'the token without a slash', path: (token: string) => token.slice(0, -1) },
  { what: 'the token as a query', path: (token: string) => `/?token=${token.slice(1, -1)}` },
  { what: 'another resource', path: (token: string) => `${token}run.json` },
  { what: 'a path traversal', path: (token: string) => `${token}../../etc/passwd` },
  { what: 'an encoded path traversal', path: (token: string) => `${token}..%2f..%2fetc%2fpasswd` },
  { what: 'a name that every object has', path: (token: string) => `${token}constructor` },
  { what: 'an absolute address', path: (token: string) => `http://127.0.0.1${token}` },
])('responds with 404 to $what', async ({ path }) => {
  const { url, token } = await openServed()
  expect(await fetchLive(url, { path: path(token) })).toMatchObject({ status: 404, body: 'Not found.\n' })
})

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('allows no %s', async (method) => {
  const { url } = await openServed()
  const { status, headers } = await fetchLive(url, { method })
  expect([status, headers.allow]).toEqual([405, 'GET'])
})

test.each(['evil.test', 'evil.test:80', '127.0.0.1.evil.test', '0.0.0.0', '192.168.1.1'])(
  'refuses the Host header %s, even with the token',
  async (host) => {
    const { url } = await openServed()
    expect(await fetchLive(url, { host })).toMatchObject({ status: 403 })
    expect(await fetchLive(`${url}events`, { host })).toMatchObject({ status: 403 })
  },
)

test('a client of the stream gets the current event, each new one with its id, and the last one', async () => {
  const server = await openServed()
  const events = liveEvents(server.url)
  expect(await nextOf(events)).toEqual({ id: '0', data: 'first' })
  server.send('second')
  expect(await nextOf(events)).toEqual({ id: '1', data: 'second' })
  const closed = server.close('last')
  expect(await nextOf(events)).toEqual({ id: '2', data: 'last' })
  expect((await events.next()).done).toBe(true)
  await closed
})

test('disconnects a client that does not read', async () => {
  const server = await openServed()
  const socket = connect(server.port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  socket.pause().write(`GET ${server.token}events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  await vi.waitFor(() => expect(server.isWatched()).toBe(true))
  // More than the buffers of both sides hold.
  server.send('x'.repeat(32 * 1024 * 1024))
  expect(server.isWatched()).toBe(true)
  server.send('next')
  await vi.waitFor(() => expect(server.isWatched()).toBe(false))
})

test('serves at most 16 streams', async () => {
  const server = await openServed()
  for (let count = 0; count < 16; count += 1) await nextOf(liveEvents(server.url))
  expect(await fetchLive(`${server.url}events`)).toMatchObject({ status: 503 })
  expect(await fetchLive(server.url)).toMatchObject({ status: 200 })
})

test('closes although a client keeps its connection', async () => {
  const server = await openServed()
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET ${server.token} HTTP/1.1\r\nHost: 127.0.0.1\r\n`)
  const ended = once(socket, 'close')
  await server.close('last')
  await ended
})
