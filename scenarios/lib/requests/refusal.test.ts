import { expect, test, vi } from 'vitest'
import { isClientError, judgeRejected } from './refusal.ts'

// Modules that use k6.
vi.mock('./request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
  isSuccess: ({ status }: { status: number }) => status >= 200 && status < 300,
}))

function verdictOn(...statuses: number[]): string {
  let verdict = ''
  const say = (word: string) => (_rule: string, seen: string) => {
    verdict = `${word}: ${seen}`
  }
  const judge = {
    ...{ pass: say('pass'), fail: say('fail'), inconclusive: say('inconclusive') },
    ...{ skip: say('skip'), that: () => {} },
  }
  const replies = statuses.map((status) => ({ status, evidence: () => `${status}` }))
  judgeRejected(judge, 'a.b.c', replies as never) // as: the only parts used
  return verdict
}

test.each([
  [[403, 401], 'pass: rejected with 403, 401'],
  [[403, 201], 'fail: got 403, 201'],
  [[302, 200], 'fail: got 302, 200'],
  [[403, 500], 'fail: got 403, 500'],
  [[403, 302], 'inconclusive: neither accepted nor rejected: 403, 302'],
  [[], 'inconclusive: neither accepted nor rejected: '],
])('%j', (statuses, verdict) => {
  expect(verdictOn(...statuses)).toBe(verdict)
})

test.each([
  [399, false],
  [400, true],
  [499, true],
  [500, false],
])('%i refuses: %j', (status, refuses) => {
  expect(isClientError({ status })).toBe(refuses)
})
