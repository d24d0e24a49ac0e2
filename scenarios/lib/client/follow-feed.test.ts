import { beforeEach, expect, test, vi } from 'vitest'
import type { KeptFeed, keepFeed } from '../../../client/keep-feed.ts'
import { testTools } from '../../../client/test-tools.ts'
import type { Reply } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'
import { followFeed } from './follow-feed.ts'
import type { Client } from './open-client.ts'

let time = testTools()
let ports: Parameters<typeof keepFeed>[1]
vi.mock('../duties/k6-tools.ts', () => ({
  get k6Tools() {
    return time.tools
  },
}))
vi.mock('../feed/open-web-socket.ts', () => ({}))
vi.mock('../timeline.ts', () => ({}))
vi.mock('../../../client/keep-feed.ts', () => ({
  keepFeed(_: unknown, given: typeof ports): Partial<KeptFeed> {
    ports = given
    return { close: async () => {} }
  },
}))
beforeEach(() => {
  time = testTools()
})

/** A client that follows the configuration of an exchange, which returns these statuses, then 200. */
function follow(statuses: number[]) {
  const sent: (RequestSpec & { atMs: number })[] = []
  const client = {
    target: { profile: { choices: { wsTicket: { ticket: 'data' }, route: {} } } },
    beforeLeaving: () => {},
    async send(spec: RequestSpec) {
      sent.push({ ...spec, atMs: time.nowMs() })
      const status = statuses.shift() ?? 200
      return { status, headers: { 'retry-after': '2' }, evidence: () => String(status) } as unknown as Reply // as: only these are read
    },
  } as unknown as Client // as: it needs no more
  const configs: number[] = []
  const feed = followFeed(client, {
    rooms: ['protocol_config'],
    refetch: async () => {},
    onConfig: ({ status }) => configs.push(status),
  })
  ports.onConfigChanged({ type: 'ProtocolConfigChanged', data: {}, json: { data: { revision: 7 } } })
  return { feed, sent, configs }
}

test('a pending revision is read again after the wait that it states, and is no error', async () => {
  const { sent, configs } = follow([503])
  await time.run()
  expect(sent).toEqual(
    Array.from({ length: 2 }, () => ({
      method: 'GET',
      path: '/protocol/state',
      query: { minimum_revision: '7' },
      provokes: [503],
      atMs: expect.any(Number),
    })),
  )
  expect(sent[1]?.atMs).toBeGreaterThanOrEqual(2000)
  expect(configs).toEqual([200])
})

test('a closed feed does not read a pending revision again', async () => {
  const { feed, sent, configs } = follow([503])
  await time.run(1000)
  await feed.close()
  await time.run()
  expect([sent.length, configs]).toEqual([1, []])
})
