import { expect, test } from 'vitest'
import { createTestBed, type TestBed } from '../exchange/test-bed.ts'
import type { AUDIT_SYMPTOMS } from './audit-symptoms.ts'

/** For each mutant, a request that shows it at once, and part of the response. */
const SHOWS_IN: readonly {
  mutant: keyof typeof AUDIT_SYMPTOMS
  path: string
  access?: 'public'
  status: number
  body: RegExp
}[] = [
  { mutant: 'paging-1000-served', path: '/explore/pools?limit=1000', status: 200, body: /"data":\[\]/ },
  { mutant: 'paging-fraction-served', path: '/explore/pools?limit=1.5', status: 200, body: /"limit":1,/ },
  { mutant: 'paging-swaps-0-empty', path: '/swaps?limit=0', status: 200, body: /"data":\[\]/ },
  { mutant: 'paging-swaps-negative-unbounded', path: '/swaps?limit=-1', status: 200, body: /"limit":100/ },
  { mutant: 'paging-swaps-1000-served', path: '/swaps?limit=1000', status: 200, body: /"limit":100/ },
  {
    mutant: 'wire-error-401-message',
    path: '/unclaimed',
    access: 'public',
    status: 401,
    body: /"message":"credentials are missing"/,
  },
  {
    mutant: 'wire-error-code-number',
    path: '/route?token_in=a&token_out=b&amount_in=1',
    status: 404,
    body: /"code":404/,
  },
  { mutant: 'wire-401-page', path: '/swaps', access: 'public', status: 401, body: /<html>/ },
  { mutant: 'wire-error-500-bare', path: '/schema/trading', status: 500, body: /^\{"message"/ },
  {
    mutant: 'protocol-next-404',
    path: '/protocol/state?minimum_revision=9999',
    status: 404,
    body: /no such revision/,
  },
]

const whole = await createTestBed()

async function respond(bed: TestBed, { path, access }: { path: string; access?: 'public' }) {
  // Bypasses the request helper of the test bed, which checks responses against their documented statuses.
  const { statusCode, body } = await bed.app.inject({ url: path, ...(access === undefined && bed.bearer()) })
  return { status: statusCode, body }
}

test.each(SHOWS_IN)('$mutant shows in $path', async ({ mutant, status, body, ...asked }) => {
  const broken = await createTestBed({ mutant })
  expect(await respond(broken, asked)).toEqual({ status, body: expect.stringMatching(body) })
  expect((await respond(whole, asked)).body).not.toMatch(body)
})

test.each(['swaps-claim-undated', 'swaps-claim-without-tx'] as const)(
  '%s omits one of the fields',
  async (mutant) => {
    const path = '/swaps?limit=100'
    const count = ({ body }: { body: string }, field: string) => body.split(`"${field}"`).length
    const fields = ['claim_tx', 'claimed_at']
    const of = async (bed: TestBed) => {
      const response = await respond(bed, { path })
      return fields.map((field) => count(response, field))
    }
    const [txs, dates] = await of(whole)
    expect(txs).toBe(dates)
    expect(txs).toBeGreaterThan(1)
    expect(new Set(await of(await createTestBed({ mutant }))).size).toBe(2)
  },
)
