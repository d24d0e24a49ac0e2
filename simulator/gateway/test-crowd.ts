/**
 * Many sockets that never authenticate, for tests, in their own process. It gets the port of a feed and the number of
 * sockets, and reports how the upgrades ended, then how the open sockets were closed.
 */
import { connect } from 'node:net'
import { closeCode, UPGRADE } from './test-upgrade.ts'

/** Counts by HTTP status, or by close code; `cut` without either. */
export type CrowdMessage = { responded: Record<string, number> } | { closed: Record<string, number> }

const OPENING_MAX = 200
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

const [port = 0, count = 0] = process.argv.slice(2).map(Number)
const responded: Record<string, number> = {}
const closed: Record<string, number> = {}
let opened = 0
let responses = 0
let inside = 0

function open(): void {
  opened++
  let received = Buffer.alloc(0)
  let status: string | null = null
  const socket = connect({ port, host: '127.0.0.1' })
  const settle = (how: string) => {
    status = how
    responded[how] = (responded[how] ?? 0) + 1
    if (how === '101') inside++
    responses++
    if (opened < count) open()
    else if (responses === count) process.send?.({ responded } satisfies CrowdMessage)
  }
  socket.on('error', () => {}) // shows in the close
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    if (!status) settle(chunk.toString('latin1').split(' ')[1] ?? '')
    else socket.write(PONG) // pong, since the test takes longer than the ping interval
    if (closeCode(received) !== null) socket.destroy()
  })
  socket.once('close', () => {
    if (!status) settle('cut')
    if (status !== '101') return
    const code = String(closeCode(received) ?? 'cut')
    closed[code] = (closed[code] ?? 0) + 1
    inside--
    if (inside === 0 && responses === count) process.send?.({ closed } satisfies CrowdMessage)
  })
  socket.write(UPGRADE)
}

for (let first = 0; first < Math.min(count, OPENING_MAX); first++) open()
process.once('disconnect', () => process.exit())
