import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HISTORY_RULES } from '../contract/rules/history.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { checkLog } from './check-log.ts'
import { encodeLog, type SyntheticHistory, synthesizeFeed, synthesizeHistory } from './synthetic-log.ts'

const RULES = HISTORY_RULES.map(({ id }) => id)

async function check(text: string, options: { partBytes?: number } = {}) {
  const file = join(temporaryFolder(), 'history.log')
  writeFileSync(file, text)
  const { findings, histories } = await checkLog(file, { rules: RULES, nowMs: 5, ...options })
  const verdicts = Object.fromEntries(
    findings.map(({ rule, verdict }) => [rule.slice('history.'.length), verdict]),
  )
  return { findings, histories, verdicts, reasons: findings.map(({ reason }) => reason) }
}

/** A simple generator of the same numbers each time. */
function createRandom() {
  let state = 1
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

function synthesize(count: number): SyntheticHistory[] {
  const random = createRandom()
  return Array.from({ length: count }, (_, number) =>
    (number % 2 === 0 ? synthesizeHistory : synthesizeFeed)(number >> 1, { random, startUs: number * 100 }),
  )
}

const operation = (
  kind: 'S' | 'U' | 'L' | 'F',
  atMs: number,
  more: { status?: number; argument?: number } = {},
) => ({
  kind,
  call: atMs * 1000,
  return: atMs * 1000 + 500,
  status: 200,
  argument: null,
  value: null,
  ...more,
})

const PASSED = Object.fromEntries(RULES.map((rule) => [rule.slice('history.'.length), 'pass']))

test('a correct target passes every rule, whether the log is read at once or in parts', async () => {
  const text = encodeLog(synthesize(300))
  const [whole, parts] = [await check(text), await check(text, { partBytes: 5000 })]
  expect(whole.verdicts).toEqual(PASSED)
  expect(parts.findings).toEqual(whole.findings)
  expect(whole.histories).toEqual({
    version: 1,
    operations: (text.match(/^[A-Z]/gm) ?? []).length,
    violations: [],
  })
})

test('a violation of the feed is described without the names of its rooms', async () => {
  const frame = (kind: 'J' | 'E', atMs: number, more: { status: number; argument: number }) => ({
    ...operation('S', atMs),
    ...more,
    kind,
    return: atMs * 1000,
  })
  const operations = [frame('J', 1, { status: 3, argument: 70 }), frame('E', 2, { status: 3, argument: 80 })]
  const { histories, findings } = await check(encodeLog([{ key: 'socket 1', operations }]))
  expect(histories.violations).toEqual([
    {
      rule: 'history.feed.joined-rooms',
      key: 'socket 1',
      observed: 'socket 1: received an event of a room that it has not joined, or has left',
      operations: [{ does: 'event Trade, room 1', outcome: '', accepted: true, fromMs: 0, toMs: 0 }],
    },
  ])
  expect(findings.find(({ verdict }) => verdict === 'fail')?.evidence).toEqual([
    '0 to 0 ms: event Trade, room 1',
  ])
})

test('the logs of several processes count as one; an address is the same in all of them', async () => {
  const claim = (atMs: number) => encodeLog([{ key: 'faucet a', operations: [operation('F', atMs)] }])
  const session = (atMs: number) =>
    encodeLog([{ key: 'session 1.1', operations: [operation('S', atMs), operation('L', atMs + 1)] }])
  const { verdicts, histories } = await check(claim(1) + claim(70) + session(1) + session(100))
  expect(verdicts).toMatchObject({
    'faucet.once': 'fail',
    'session.stays-ended': 'pass',
    'token.lasts': 'skipped',
  })
  expect(histories.violations).toEqual([
    {
      rule: 'history.faucet.once',
      key: 'faucet a',
      observed: 'faucet a: no order of 2 operations explains their responses',
      operations: [
        { does: 'claim', outcome: '200', accepted: true, fromMs: 0, toMs: 0.5 },
        { does: 'claim', outcome: '200', accepted: true, fromMs: 69, toMs: 69.5 },
      ],
    },
  ])
})

const dies = (key: string, from: number, until: number) => ({
  key,
  operations: [
    operation('S', from, { argument: 3 }),
    operation('U', until - 1, { argument: 0 }),
    operation('U', until, { argument: 0, status: 401 }),
  ],
})
const lives = (key: string, from: number, until: number, wallet = 3) => ({
  key,
  operations: [operation('S', from, { argument: wallet }), operation('U', until, { argument: 0 })],
})
const RESET =
  'a session or an API token ended without a cause, and no older one of its wallet was served later: the target may have been reset'

test('a session that ends without a cause fails if an older one of the wallet lives on', async () => {
  const { findings } = await check(encodeLog([lives('session 1', 0, 50), dies('session 2', 10, 20)]))
  expect(findings[0]).toMatchObject({
    verdict: 'fail',
    observed: 'session 2: no order of 2 operations explains their responses',
    evidence: ['0 to 0.5 ms: sign in -> 200', '10 to 10.5 ms: read with token 0 -> 401'],
  })
})

test.each([
  { what: 'no older one is served', others: [lives('session 1', 0, 15)] },
  { what: 'only a newer one is served', others: [lives('session 1', 15, 50)] },
  { what: 'only one of another wallet is served', others: [lives('session 1', 0, 50, 4)] },
])('it is inconclusive if $what', async ({ others }) => {
  const { verdicts, reasons } = await check(encodeLog([...others, dies('session 2', 10, 20)]))
  expect(verdicts['session.lasts']).toBe('inconclusive')
  expect(reasons[0]).toBe(RESET)
})

test('what spans a possible reset is inconclusive, too', async () => {
  const claims = (...atMs: number[]) => ({
    key: 'faucet a',
    operations: atMs.map((at) => operation('F', at)),
  })
  const reset = dies('session 2', 10, 20)
  expect((await check(encodeLog([reset, claims(5, 40)]))).verdicts['faucet.once']).toBe('inconclusive')
  expect((await check(encodeLog([reset, claims(30, 40)]))).verdicts['faucet.once']).toBe('fail')
})

test.each([
  ['a log without its end line', (text: string) => text.replace('.done\n', ''), 'no end line'],
  ['a log that ends in the middle of a line', (text: string) => text.slice(0, -20), 'no end line'],
  [
    'a line that is no operation',
    (text: string) => text.replace('.done', 'Z9 nonsense\n.done'),
    'invalid lines',
  ],
  [
    'a header of another format',
    (text: string) => text.replace('"history":1', '"history":2'),
    'invalid lines',
  ],
  ['an empty log', () => '', 'no end line'],
])('%s is inconclusive, even if it shows a violation', async (_what, damage, reason) => {
  const text = encodeLog([{ key: 'faucet a', operations: [operation('F', 1), operation('F', 2)] }])
  const { findings } = await check(damage(text))
  expect(findings.map(({ verdict }) => verdict)).toEqual(RULES.map(() => 'inconclusive'))
  expect(findings[0]?.reason).toContain(reason)
})

test('a log that was full is judged up to there', async () => {
  const { findings } = await check(encodeLog(synthesize(30)).replace('.done', '.full'))
  expect(findings[0]).toMatchObject({ verdict: 'pass' })
  expect(findings[0]?.observed).toContain('the log was full before the end of the load')
})

test('a missing log is inconclusive', async () => {
  const { findings } = await checkLog('/nowhere/history.log', { rules: RULES, nowMs: 5 })
  expect(findings[0]).toMatchObject({ verdict: 'inconclusive', reason: 'there is no operation log' })
})
