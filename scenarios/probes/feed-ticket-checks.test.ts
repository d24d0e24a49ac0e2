import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeExpiry } from './feed-ticket-checks.ts'

const RULE = 'ws.ticket.expires-60s'
const OLD = ['first', 'second', 'third', 'fourth']

type Outcome = 'refused' | 'served' | 'mute' | 'restarted'
const gateway = vi.hoisted(() => ({ outcomes: [] as Outcome[], tickets: [] as string[], restarts: 0 }))
// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({
  countCloses: () => gateway.restarts,
  countResyncs: () => 0,
  async openFeed() {
    const outcome = gateway.outcomes.shift()
    const closed = () => (outcome === 'restarted' ? { code: 1012 } : undefined)
    return { outcome, closed, close() {}, evidence: () => [] }
  },
}))
vi.mock('../lib/feed/served-feed.ts', async () => {
  const { CannotJudge } = await import('../lib/verdict/judge.ts')
  type Opened = { outcome: Outcome; closed(): { code: number } | undefined }
  return {
    RESTART_CODE: 1012,
    UNRESPONSIVE: 'mute',
    authenticatePatiently: async (_: Opened, ticket: string) => void gateway.tickets.push(ticket),
    async isServedWithWitness({ outcome }: Opened) {
      if (outcome === 'restarted') gateway.restarts++
      return outcome === 'mute' ? undefined : outcome === 'served'
    },
    throwIfRestarted(feed: Opened) {
      if (feed.closed()?.code === 1012) throw new CannotJudge('restarted')
    },
  }
})
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/time/has-control.ts', () => ({}))

beforeEach(() => void Object.assign(gateway, { tickets: [], restarts: 0 }))

async function verdict(...outcomes: Outcome[]): Promise<string> {
  gateway.outcomes = outcomes
  const found: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeExpiry({} as Target, judge, { credential: { bearer: 'x' }, old: OLD }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => found.push(`${finding.verdict} ${finding.reason ?? ''}`.trim()),
  })
  return found.join()
}

test.each<[Outcome[], string]>([
  [['refused'], 'pass'],
  [['served'], 'fail'],
  [['mute'], 'inconclusive mute'],
  [['restarted', 'refused'], 'pass'],
  [['restarted', 'restarted', 'served'], 'fail'],
  [['restarted', 'restarted', 'restarted', 'restarted'], 'inconclusive restarted'],
])('sockets that are %j with an old ticket each: %s', async (outcomes, expected) => {
  expect(await verdict(...outcomes)).toBe(expected)
  expect(gateway.tickets).toEqual(OLD.slice(0, outcomes.length))
})
