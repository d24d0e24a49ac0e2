import { expect, test } from 'vitest'
import type { Command } from '../sequence.ts'
import { explainAll, type Happened, happened, SIGNED_IN } from './test-happened.ts'

const create = (as: string): Command => ({ do: 'create-token', session: 's1', as, csrf: 'right' })
const revoke = (session: string): Command => ({ do: 'revoke-token', session, token: 't1', csrf: 'right' })
const read = (status: number): Happened => ({
  command: { do: 'read', by: 't1', path: '/unclaimed' },
  outcome: { status },
})
const list = (session: string, ...listed: string[]) =>
  happened({ do: 'list-tokens', session }, 200, { outcome: { status: 200, used: 0, listed } })
const CREATED = happened(create('t1'), 201)

test.each<{ what: string; history: Happened[]; rule: string | null; tokensMax?: number }>([
  { what: 'a token works', history: [CREATED, read(200)], rule: null },
  { what: 'a token does not work', history: [CREATED, read(401)], rule: 'api-token.bearer.works' },
  {
    what: 'the first token is rejected',
    history: [happened(create('t1'), 403)],
    rule: 'auth.verify.signs-in',
  },
  {
    what: 'the first token of a sequence is rejected, after others had some for the same wallet',
    history: [happened(create('t1'), 403, { outcome: { status: 403, mayBeFull: true } })],
    rule: null,
  },
  {
    what: 'a second token is rejected: the maximum is unknown',
    history: [CREATED, happened(create('t2'), 403)],
    rule: null,
  },
  {
    what: 'a second token is rejected below the maximum',
    history: [CREATED, happened(create('t2'), 403)],
    rule: 'auth.verify.signs-in',
    tokensMax: 2,
  },
  {
    what: 'a revoked token works',
    history: [CREATED, happened(revoke('s1'), 200), read(200)],
    rule: 'api-token.revoke.ends',
  },
  {
    what: 'another session of the wallet revokes',
    history: [CREATED, happened(revoke('s2'), 200), read(401)],
    rule: null,
  },
  {
    what: 'another wallet revokes, whatever the response',
    history: [CREATED, happened(revoke('s3'), 200), read(401)],
    rule: 'api-token.revoke.own-only',
  },
  {
    what: 'another wallet may not revoke',
    history: [CREATED, happened(revoke('s3'), 404), read(200)],
    rule: null,
  },
  {
    what: 'a second revocation is open',
    history: [CREATED, happened(revoke('s1'), 200), happened(revoke('s1'), 404)],
    rule: null,
  },
  {
    what: 'a revocation without a response, which took effect',
    history: [CREATED, happened(revoke('s1'), 0), read(401), read(401)],
    rule: null,
  },
  {
    what: 'a revocation without a response, which took effect and did not',
    history: [CREATED, happened(revoke('s1'), 0), read(401), read(200)],
    rule: 'api-token.revoke.ends',
  },
  {
    what: 'a token after the end of its session',
    history: [CREATED, happened({ do: 'log-out', session: 's1', csrf: 'right' }, 200), read(401)],
    rule: 'api-token.bearer.works',
  },
  {
    what: 'a token after logout-all',
    history: [CREATED, happened({ do: 'log-out-all', session: 's1', csrf: 'right' }, 200), read(401)],
    rule: 'api-token.bearer.works',
  },
  { what: 'the list shows it', history: [CREATED, list('s2', 't1')], rule: null },
  { what: 'the list omits it', history: [CREATED, list('s2')], rule: 'api-token.list.shows' },
  {
    what: 'the list of another wallet shows it',
    history: [CREATED, list('s3', 't1')],
    rule: 'api-token.list.own-only',
  },
  {
    what: 'a list may lag after a revocation',
    history: [CREATED, happened(revoke('s1'), 200), list('s1', 't1')],
    rule: null,
  },
])('$what', ({ history, rule, tokensMax = null }) => {
  const profiled = { graceMs: 10_000, tokensMax }
  const explained = explainAll([...SIGNED_IN, ...history], profiled)
  if (rule !== null) expect(explained).toBe(rule)
  else expect(explained).toEqual(expect.any(Array))
  expect(explainAll([...SIGNED_IN, ...history.slice(0, -1)], profiled)).toEqual(expect.any(Array))
})
