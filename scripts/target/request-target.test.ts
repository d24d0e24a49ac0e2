import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createAuthority } from '../../simulator/http/certificates.ts'
import { requestTarget } from './request-target.ts'

const END = new Date('2049-12-31T00:00:00Z')

test('reads protocol and certificate expiry from https:// and wss://', async () => {
  const validity = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: END }
  const authority = await createAuthority({ name: 'Test CA', ...validity })
  const server = createServer(await authority.issue({ names: ['127.0.0.1'], ...validity }), (_, response) =>
    response.end('{}'),
  )
  const feed = new WebSocketServer({ server })
  const closed: Promise<unknown>[] = []
  feed.on('connection', (socket) => closed.push(once(socket, 'close')))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  const options = { profile: { headers: {}, origin: null }, ca: authority.pem }
  const tls = { protocol: 'TLSv1.3', validUntilMs: END.getTime() }
  expect(await requestTarget(`https://127.0.0.1:${port}/health`, options)).toMatchObject({ status: 200, tls })
  expect(await requestTarget(`wss://127.0.0.1:${port}/ws`, options)).toMatchObject({ status: 101, tls })
  await Promise.all(closed) // the server's slot is free again
  expect(closed.length).toBe(1)
})
