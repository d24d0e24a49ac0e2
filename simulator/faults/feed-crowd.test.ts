// Many sockets under faults: each gets exactly what the plan says, and no state remains.
import { expect, test } from 'vitest'
import { createTestBed, summarize } from '../gateway/test-bed.ts'
import type { FeedClient } from '../gateway/test-client.ts'

const ROOM = 'pool_launches'

test('200 sockets that are closed over ten seconds reconnect one by one, and none is closed twice', async () => {
  const bed = await createTestBed()
  const first: FeedClient[] = []
  while (first.length < 200) first.push(await bed.join(ROOM))
  bed.inject({ fault: 'ws-close', staggerMs: 9950 })
  const again: FeedClient[] = []
  for (const { closed } of first) {
    expect((await closed).code).toBe(1012)
    again.push(await bed.join(ROOM))
    expect(bed.gateway.sockets()).toHaveLength(200)
    bed.clock.advance(50)
  }
  bed.emit({ launches: bed.pools.slice(0, 1) })
  for (const client of again) expect(await client.synchronize()).toHaveLength(1)
  expect(bed.decisions()).toEqual(first.map((_, place) => `socket ${place + 1}!`))
})

const FAULTS = [
  { fault: 'ws-close', count: 5, everyMs: 4000, staggerMs: 3000 },
  { fault: 'ws-handshake-error', when: { probability: 0.2 } },
  { fault: 'ws-drop', when: { probability: 0.1 }, resync: true },
  { fault: 'ws-delay', when: { probability: 0.3 }, delayMs: 1500 },
  {
    fault: 'ws-duplicate',
    where: { clients: { addresses: ['*'] } },
    when: { every: 7 },
    againAfterMs: 700,
  },
  {
    fault: 'ws-reorder',
    where: { clients: { addresses: ['*'] } },
    when: { probability: 0.2 },
    atMostMs: 900,
  },
  { fault: 'ws-room-blackhole', when: { every: 50 }, muteMs: 2000 },
  { fault: 'ws-control-delay', controls: ['resync_required'], when: { probability: 0.5 }, delayMs: 300 },
  { fault: 'ws-unknown-control', everyMs: 2500, count: 3 },
  { fault: 'ws-slow-consumer', everyMs: 6000, count: 2, stallMs: 500 },
]

test('the same plan has the same effect on the same sockets, and leaves no state behind', async () => {
  const runs = [await runFaults(), await runFaults()]
  expect(runs[1]).toEqual(runs[0])
  expect(runs[0]?.decisions.length).toBeGreaterThan(500)
  expect(new Set(runs[0]?.came.flat().map((text) => text.split(' ')[0]))).toEqual(
    new Set(['PoolLaunch', 'resync_required', 'maintenance_announced']),
  )
})

async function runFaults() {
  const bed = await createTestBed()
  const clients: { client: FeedClient; came: string[] }[] = []
  const join = async () => {
    const client = await bed.join(ROOM).catch(() => null)
    if (!client) return // rejected
    const came: string[] = []
    client.socket.on('message', (data) => came.push(...summarize([JSON.parse(String(data))])))
    clients.push({ client, came })
  }
  while (clients.length < 20) await join()
  bed.inject(...FAULTS)
  for (let round = 0; round < 40; round++) {
    bed.emit({ launches: bed.pools.slice(round % 20, (round % 20) + 3) })
    bed.clock.advance(250)
    if (bed.gateway.sockets().length < 20) await join()
  }
  bed.faults.clear()
  await bed.gateway.close()
  for (const { client } of clients) await client.closed
  bed.clock.advance(2000)
  expect(bed.clock.nextAtMs()).toBeUndefined()
  return { came: clients.map(({ came }) => came), decisions: bed.decisions() }
}
