import { expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeListedToAnother } from './token-list.ts'

const stub = vi.hoisted(() => ({ lists: {} as Record<string, string[][]> }))

// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({
  async listApiTokens(_: Target, name: string) {
    const [ids = [], ...later] = stub.lists[name] ?? []
    if (later.length > 0) stub.lists[name] = later
    return { json: { data: ids.map((id) => ({ id })) }, evidence: () => '' }
  },
}))
vi.mock('../lib/identity/session.ts', () => ({ requireFullCredential: (name: unknown) => name }))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('./session-checks.ts', () => ({}))

const MISSING = 'fail another session of the wallet does not list a token: missing in each of 4 attempts'

test.each<[what: string, lists: Record<string, string[][]>, expected: string]>([
  ['listed to both', { maker: [['id']], another: [['a', 'id']] }, 'inconclusive'],
  ['listed to its maker only', { maker: [['id']], another: [['a']] }, MISSING],
  ['missing at first', { maker: [['id']], another: [[], ['id']] }, 'inconclusive'],
  ['listed to neither', { maker: [['a']], another: [['a']] }, 'inconclusive'],
])('a token that is %s', async (_, lists, expected) => {
  stub.lists = lists
  const choices = choicesSchema.parse({ apiTokens: { list: 'data', id: 'id' } })
  const target = { profile: { choices } } as Target // as: all that is read
  const names = { maker: 'maker', another: 'another', token: { id: 'id' } } as never // as: sessions are names
  let found = ''
  await judgeProbe({
    rules: ['api-token.list.shows'],
    getExpected: () => '',
    run: (judge) => judgeListedToAnother(target, judge, names),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(found.slice(0, expected.length)).toBe(expected)
})
