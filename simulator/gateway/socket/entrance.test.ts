import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { garbageCollector } from '../../../tools/test/garbage-collector.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createClock } from '../../clock.ts'
import { NO_HOOKS } from '../../faults/faults.ts'
import { HTTP_BOUNDS } from '../../http/listener.ts'
import { connectFeed } from '../test-client.ts'
import { createEntrance, createStrangers, type Guest } from './entrance.ts'

const bounds = { strangersPerAddressMax: 2, strangersMax: 3 }

test('limits connections per address and in total', () => {
  const { admit } = createStrangers(bounds)
  const crowds = ['a', 'a', 'a', 'b', 'b', 'c'].map((address) => admit(address).crowd)
  expect(crowds).toEqual([null, null, 'address', null, 'all', 'all'])
})

test('leaving frees one place, once', () => {
  const { admit } = createStrangers(bounds)
  const first = admit('a')
  admit('a')
  first.leave()
  first.leave()
  expect([admit('a').crowd, admit('a').crowd]).toEqual([null, 'address'])
})

test('a rejected connection leaves no place taken', () => {
  const { admit } = createStrangers(bounds)
  admit('a')
  admit('a')
  admit('a').leave()
  expect(admit('a').crowd).toBe('address')
})

test('an open socket does not keep the request that opened it', async () => {
  const guests: Guest[] = []
  const { server } = createEntrance({
    clock: createClock({ startMs: 0 }),
    choices: defaultChoices,
    http: HTTP_BOUNDS,
    tls: undefined,
    frameBytesMax: 4096,
    faults: { hooks: NO_HOOKS },
    sync() {},
    isFull: () => false,
    enter: (guest) => void guests.push(guest),
    rejected() {},
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  let request: WeakRef<IncomingMessage> | undefined
  server.once('upgrade', (upgrade) => {
    request = new WeakRef(upgrade)
  })
  const { socket, settle } = await connectFeed(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`) // as: on a port
  onTestFinished(() => {
    socket.terminate()
    server.close()
  })
  const [guest] = guests
  guest?.socket.on('ping', () => guest.socket.pong())
  await settle()
  garbageCollector()()
  expect([guest?.socket.readyState, request?.deref()]).toEqual([1, undefined])
})
