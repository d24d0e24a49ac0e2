import { expect, test, vi } from 'vitest'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { claimAtOnce, judgeSpaced } from './faucet-twice.ts'

vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({ isSuccess: ({ status }: Reply) => status === 200 }))

const RULE = 'faucet.claim.once'
const address = 'bw1a'

type Response = readonly [status: number, text: string]

const replyWith = ([status, text]: Response) => ({ status, text, evidence: () => '' }) as unknown as Reply // as: only these are read

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
      [200, 'BW1A, 1'],
      [200, 'bw1a, 2'],
    ],
    verdict: 'fail',
    accepted: 'BW1A, 1',
  },
  {
    responses: [
      [200, 'bw1a, 1'],
      [200, 'bw1a, 1'],
    ],
    verdict: 'pass',
    accepted: 'bw1a, 1',
  },
  {
    responses: [
      [200, '1'],
      [200, '2'],
    ],
    verdict: 'pass',
    accepted: '1',
  },
  {
    responses: [
      [409, 'bw1a'],
      [200, 'bw1a, 2'],
    ],
    verdict: 'pass',
    accepted: 'bw1a, 2',
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
  { response: [200, '{"address":"BW1A"}'], verdict: 'fail' },
  { response: [200, '{"address":"bw1a "}'], verdict: 'pass' },
  { response: [200, '{"status":"broadcast"}'], verdict: 'pass' },
  { response: [400, '{"error":"bw1a"}'], verdict: 'pass' },
])('$verdict for the response $response to an address with a space', async ({ response, verdict }) => {
  const sent: string[] = []
  const claim = async (spaced: string) => {
    sent.push(spaced)
    return replyWith(response)
  }
  expect(await judgeClaims((judge) => judgeSpaced(judge, { address, claim }))).toBe(verdict)
  expect(sent).toEqual(['bw1a '])
})
