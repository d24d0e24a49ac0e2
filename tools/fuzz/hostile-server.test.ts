import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ServerPlan } from './fuzz-case.ts'
import { startHostileServer } from './hostile-server.ts'
import { HANDSHAKE, HEALTHY_SERVER } from './misbehaviors.ts'

async function start(plan: Partial<ServerPlan>) {
  const server = await startHostileServer({ ...HEALTHY_SERVER, ...plan })
  onTestFinished(() => server.close())
  const { '{REST}': rest = '', '{FEED}': feed = '' } = server.placeholders
  return { rest, feed, ca: server.ca }
}

test('sends the bytes of the plan verbatim, one response after another', async () => {
  const bytes = Buffer.from('HTTP/9.9 1 \u001b[31m\r\n')
  const { rest } = await start({ rest: [{ does: 'nothing' }, { does: 'send', bytes, after: 'end' }] })
  expect((await fetch(`${rest}/health`)).status).toBe(200)
  const { hostname, port } = new URL(rest)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
  let got = ''
  for await (const chunk of socket) got += chunk
  expect(got).toBe(String(bytes))
})

test('accepts feed sockets, and sends invalid frames', async () => {
  const frame = Buffer.from([0x81, 0x02, 0x7b, 0x1b])
  const { feed } = await start({
    feed: [{ does: 'send', bytes: Buffer.concat([HANDSHAKE, frame]), after: 'stay' }],
  })
  const socket = new WebSocket(`${feed}/ws`)
  const text = await new Promise((resolve, reject) =>
    socket.on('message', (data) => resolve(String(data))).on('error', reject),
  )
  socket.terminate()
  expect(text).toBe('{\u001b')
})

test('sends the frames of the plan to clients that negotiate HTTP/2', async () => {
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const goAway = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11])
  const bytes = Buffer.concat([settings, goAway])
  const { rest, ca } = await start({ transport: 'h2', rest: [{ does: 'send', bytes, after: 'stay' }] })
  const session = connectHttp2(rest, { ca: ca ?? '' })
  session.on('error', () => {})
  const code = await new Promise((resolve) => session.on('goaway', resolve))
  session.destroy()
  expect(code).toBe(11)
})
