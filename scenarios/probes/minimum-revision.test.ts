import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, judgeProbe } from '../lib/verdict/judge.ts'
import { judgeState, lowerInText, requestWithCredentials } from './minimum-revision.ts'

test.each([
  [1057n, 999n],
  [1000n, 999n],
  [10n, 9n],
  [9n, -1n],
  [0n, -1n],
])('of the revisions below %s, %s is later as text', (current, lower) => {
  expect(lowerInText(current)).toBe(lower)
})

const RULE = 'protocol.minimum.served'
const TARGET = { profile: { choices: { protocolState: { revision: 'revision' } } } } as Target // as: the only part used

/** Responses in order; the last one repeats. */
const world = vi.hoisted(() => ({
  replies: [] as unknown[],
  read: 0,
  waits: [] as number[],
  sent: [] as string[],
}))

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({
  listCredentials: async () => [{ bearer: 'one' }, { bearer: 'two' }],
}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void world.waits.push(ms) }))
vi.mock('../lib/market/market.ts', () => ({
  async readProtocolState(_: Target, minimum?: bigint, credential?: { bearer: string }) {
    world.sent.push(`${minimum} ${credential?.bearer}`)
    const reply = world.replies[Math.min(world.read++, world.replies.length - 1)]
    if (reply instanceof Error) throw reply
    return reply
  },
}))

beforeEach(() => void Object.assign(world, { replies: [], read: 0, waits: [], sent: [] }))

const respond = (status: number, body: object = {}, headers: object = {}) => ({
  ...{ status, json: body, headers },
  evidence: () => `-> ${status}`,
})
const served = (revision: number) => respond(200, { revision })
const PENDING = respond(503, { code: 'protocol_revision_pending' }, { 'retry-after': '1' })

async function judge(): Promise<string> {
  const found: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeState(TARGET, judge, 7n),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return found.join()
}

test.each<[string, unknown[], string]>([
  ['served at once', [served(7)], 'pass no revision below 7, as requested'],
  ['pending, then served', [PENDING, served(8)], 'pass no revision below 7, as requested'],
  ['pending again on a replica', [served(7), PENDING, served(7)], 'pass no revision below 7, as requested'],
  ['below the minimum', [served(6)], 'fail revision 6, requested at least 7'],
  [
    'served, and below the minimum later',
    [PENDING, served(7), served(7), served(6)],
    'fail revision 6, requested at least 7',
  ],
  [
    'served, and not readable later',
    [served(7), new CannotJudge('429')],
    'pass no revision below 7, as requested',
  ],
  ['rejected', [respond(404)], 'fail 404 for revision 7'],
  ['without a revision', [respond(200)], 'inconclusive the state has no revision: -> 200'],
])('%s', async (_, replies, verdict) => {
  world.replies = replies
  expect(await judge()).toBe(verdict)
})

test('reads 12 times more over two seconds, and waits as long as Retry-After says', async () => {
  world.replies = [PENDING, served(7), PENDING, served(7)]
  await judge()
  expect([world.read, world.waits]).toEqual([14, [1000, 170, 1000, ...Array(10).fill(170)]])
})

test('requests each minimum with each credential, even if some requests fail', async () => {
  world.replies = [new CannotJudge('429'), PENDING]
  await requestWithCredentials(TARGET, [7n, 1007n])
  expect(world.sent).toEqual(['7 one', '1007 one', '7 two', '1007 two'])
})
