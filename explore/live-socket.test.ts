import { expect, test } from 'vitest'
import { profileSchema } from '../contract/profile.ts'
import { openLiveSocket } from './live-socket.ts'
import { createWaits } from './target.ts'

test('the wait for a pong counts as a wait for sockets', async () => {
  let ms = 0
  const waits = createWaits(() => ms)
  let pong = () => {}
  const socket = await openLiveSocket({
    profile: profileSchema.parse({ name: 'x', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }),
    responseMs: 60_000,
    nowMs: () => ms,
    waits,
    async openSocket(events) {
      pong = events.pong
      return { send() {}, ping() {}, close() {} }
    },
  })
  const settled = socket?.settle()
  ms = 4000
  expect(waits.text()).toBe('4 s for sockets')
  pong()
  expect(await settled).toBe(true)
})
