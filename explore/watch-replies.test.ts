import { expect, test } from 'vitest'
import { choicesSchema, type Profile } from '../contract/profile.ts'
import type { ExploreSocket, ExploreTarget, Reply, SocketEvents } from './target.ts'
import { watchReplies } from './watch-replies.ts'

const profile = { choices: choicesSchema.parse({}) } as Profile // as: nothing else of it is read

/** A target that responds with these in turn, then with the last. */
function setTarget(...replies: Partial<Reply>[]) {
  let sent = 0
  const socket: { events?: SocketEvents; texts: string[] } = { texts: [] }
  const target: Partial<ExploreTarget> = {
    profile,
    nowMs: () => 0,
    async request() {
      const reply = replies[Math.min(sent++, replies.length - 1)]
      return { status: 200, body: undefined, cookies: {}, ...reply }
    },
    async openSocket(events) {
      socket.events = events
      const opened: ExploreSocket = { send: (text) => socket.texts.push(text), ping() {}, close() {} }
      return opened
    },
  }
  const found: string[] = []
  const watched = watchReplies(target as ExploreTarget).watch(({ rule, expected, observed }) => {
    expect(expected).not.toBe('')
    found.push(`${rule}: ${observed}`)
  })
  return { watched, found, socket, sent: () => sent }
}

const status = { data: { has_access: true } }

test('passes replies on, and reports what breaks a rule', async () => {
  const right = setTarget({ body: status })
  expect((await right.watched.request({ method: 'GET', path: '/access/status' })).body).toEqual(status)
  expect(right.found).toEqual([])
  const wrong = setTarget({ body: { data: { has_access: 1 } } })
  await wrong.watched.request({ method: 'GET', path: '/access/status' })
  expect(wrong.found).toEqual([
    'referral.access.record: GET /access/status: data.has_access: expected true or false, found a number',
  ])
})

test('a body that does not parse is requested again', async () => {
  const cut = setTarget({ body: undefined }, { body: status })
  expect((await cut.watched.request({ method: 'GET', path: '/access/status' })).body).toEqual(status)
  expect([cut.found, cut.sent()]).toEqual([[], 2])
  const garbled = setTarget({ body: undefined })
  await garbled.watched.request({ method: 'GET', path: '/access/status' })
  expect([garbled.found, garbled.sent()]).toEqual([
    ['wire.body.json: GET /access/status: no JSON in 3 requests'],
    3,
  ])
})

test('changes and reads with an open body are never sent again', async () => {
  for (const request of [
    { method: 'POST', path: '/auth/logout' },
    { method: 'GET', path: '/health' },
  ] as const) {
    const target = setTarget({ body: undefined })
    await target.watched.request(request)
    expect([target.found, target.sent()]).toEqual([[], 1])
  }
})

test('checks the frames of sockets, and passes them on', async () => {
  const { watched, found, socket } = setTarget({})
  const came: string[] = []
  const live = await watched.openSocket({ received: (text) => came.push(text), closed() {}, pong() {} })
  live?.send(JSON.stringify({ action: 'subscribe', room: 'pool_launches' }))
  expect(socket.texts).toHaveLength(1)
  socket.events?.received('{"type":"PoolLaunch","data":{}}')
  expect(found).toEqual([])
  socket.events?.received('{"type":"PoolLaunch"}')
  expect(found).toEqual(['ws.event.shape: frame: PoolLaunch: data: missing; expected an object'])
  expect(came).toHaveLength(2)
})
