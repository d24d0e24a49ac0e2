import { expect, test, vi } from 'vitest'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { claimAtOnce, isAnotherGrant, judgeRefusal, judgeSpaced } from './faucet-twice.ts'

vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({ isSuccess: ({ status }: Reply) => status === 200 }))

const RULE = 'faucet.claim.once'
const address = 'bw1a'

type Response = readonly [status: number, text: string]

const parse = (text: string) => (text.startsWith('{') ? JSON.parse(text) : undefined)
const replyWith = ([status, text]: Response) =>
  ({ status, text, json: parse(text), evidence: () => '' }) as unknown as Reply // as: only these are read

const TX = ['at1qqqqqqqqqqqqqqqq1', 'at1qqqqqqqqqqqqqqqq2'] as const
const grant = (tx: string, to = address) => JSON.stringify({ data: { status: 'sent', tx, to } })

async function judgeClaims(run: (judge: Parameters<typeof claimAtOnce>[0]) => Promise<unknown>) {
  const verdicts: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => {
      await run(judge)
      judge.pass(RULE, 'rejected')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

test.each<{ responses: readonly Response[]; verdict: string; accepted: string | undefined }>([
  {
    responses: [
      [200, grant(TX[0], 'BW1A')],
      [200, grant(TX[1])],
    ],
    verdict: 'fail',
    accepted: grant(TX[0], 'BW1A'),
  },
  {
    responses: [
      [200, grant(TX[0])],
      [200, grant(TX[0])],
    ],
    verdict: 'pass',
    accepted: grant(TX[0]),
  },
  {
    responses: [
      [200, grant(TX[0], '')],
      [200, grant(TX[1], '')],
    ],
    verdict: 'pass',
    accepted: grant(TX[0], ''),
  },
  {
    responses: [
      [409, 'bw1a'],
      [200, grant(TX[1])],
    ],
    verdict: 'pass',
    accepted: grant(TX[1]),
  },
  {
    responses: [
      [409, 'bw1a'],
      [409, 'bw1a'],
    ],
    verdict: 'pass',
    accepted: undefined,
  },
])('$verdict for the responses $responses to two claims at once', async ({ responses, ...expected }) => {
  const pending = responses.map(replyWith).values()
  let accepted: Reply | undefined
  const verdict = await judgeClaims(async (judge) => {
    const claim = async () => pending.next().value ?? replyWith([500, ''])
    accepted = await claimAtOnce(judge, { address, claim })
  })
  expect({ verdict, accepted: accepted?.text }).toEqual(expected)
})

test.each<{ response: Response; verdict: string }>([
  { response: [200, grant(TX[1], 'BW1A')], verdict: 'fail' },
  { response: [200, grant(TX[0], 'BW1A')], verdict: 'pass' },
  { response: [200, grant(TX[1], 'bw1a ')], verdict: 'pass' },
  { response: [200, grant(TX[1], '')], verdict: 'pass' },
  { response: [400, '{"error":"bw1a"}'], verdict: 'pass' },
])('$verdict for the response $response to an address with a space', async ({ response, verdict }) => {
  const sent: string[] = []
  const claim = async (spaced: string) => {
    sent.push(spaced)
    return replyWith(response)
  }
  expect(
    await judgeClaims((judge) =>
      judgeSpaced(judge, { address, accepted: replyWith([200, grant(TX[0])]), claim }),
    ),
  ).toBe(verdict)
  expect(sent).toEqual(['bw1a '])
})

const NEXT = ['2026-01-01T00:15:00.000Z', '2026-01-01T00:15:01.000Z'] as const

test.each<{ what: string; first?: object; second: object; another: boolean }>([
  { what: 'another transaction', second: { status: 'sent', tx: TX[1], next: NEXT[1] }, another: true },
  { what: 'the same transaction', second: { status: 'sent', tx: TX[0], next: NEXT[1] }, another: false },
  { what: 'other words', second: { status: 'claimed', tx: TX[1], next: NEXT[0] }, another: false },
  { what: 'other keys', second: { status: 'sent', next: NEXT[0] }, another: false },
  { what: 'no transaction', second: { status: 'sent', tx: null, next: NEXT[0] }, another: false },
  { what: 'no id', first: { sent: true }, second: { sent: true }, another: true },
  { what: 'only another time', first: { next: NEXT[0] }, second: { next: NEXT[1] }, another: true },
  { what: 'the same token ids', first: { tokenId: '7' }, second: { tokenId: '7' }, another: true },
  { what: 'the same id', first: { claimId: 7 }, second: { claimId: 7 }, another: false },
  { what: 'another id', first: { claimId: 7 }, second: { claimId: 8 }, another: true },
  {
    what: 'another flag',
    first: { sent: true, txHash: TX[0] },
    second: { sent: false, txHash: TX[1] },
    another: false,
  },
  {
    what: 'another transaction in a list',
    first: { sent: [{ tx: TX[0], amount: '5' }] },
    second: { sent: [{ tx: TX[1], amount: '5' }] },
    another: true,
  },
])(
  'a second success with $what is another grant: $another',
  ({ first = { status: 'sent', tx: TX[0], next: NEXT[0] }, second, another }) => {
    const [one, other] = [first, second].map((data) => replyWith([200, JSON.stringify({ data })]))
    if (!one || !other) throw new Error('no responses')
    expect(isAnotherGrant(one, other)).toBe(another)
  },
)

test.each<{ response: Response; verdict: string }>([
  { response: [429, '{"error":"claimed"}'], verdict: 'pass' },
  { response: [200, grant(TX[1])], verdict: 'fail' },
  { response: [200, '{"error":"claimed"}'], verdict: 'fail' },
  { response: [200, '{"data":{"status":"already claimed"}}'], verdict: 'inconclusive' },
  { response: [200, grant(TX[0])], verdict: 'inconclusive' },
  { response: [302, ''], verdict: 'inconclusive' },
])('$verdict for the response $response to a second claim', async ({ response, verdict }) => {
  const claims = { reply: replyWith(response), accepted: replyWith([200, grant(TX[0])]), when: 'at once' }
  expect(await judgeClaims(async (judge) => judgeRefusal(judge, RULE, claims))).toBe(verdict)
})
