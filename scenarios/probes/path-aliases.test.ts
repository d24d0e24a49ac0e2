import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { type Judge, judgeProbe } from '../lib/verdict/judge.ts'
import { judgeAliases, judgeCodesAlias } from './path-aliases.ts'

const RULE = 'rule'

type Body = { status: number; json?: object }
const stub = vi.hoisted(() => ({ bodies: {} as Record<string, Body>, problems: [] as string[] }))

const replyTo = (path: string) => {
  const { status, json } = stub.bodies[path] ?? { status: 404 }
  return { status, json, evidence: () => path } as Reply // as: only these are read
}
// Modules that need k6.
vi.mock('../lib/identity/referral-codes.ts', () => ({
  readCodes: async (_: Target, __: object, path: string) => replyTo(path),
}))
vi.mock('../lib/requests/request.ts', () => {
  const read = async (_: Target, { path }: { path: string }) => replyTo(path)
  return { request: read, send: read }
})
vi.mock('../lib/verdict/check.ts', () => ({ check: () => stub.problems }))

beforeEach(() => Object.assign(stub, { bodies: {}, problems: [] }))

const TARGET = {} as Target // as: unused by the mocks

async function verdict(run: (judge: Judge) => Promise<void>): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run,
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

const ROWS = { status: 200, json: { data: [{}] } }
const NO_ROWS = { status: 200, json: { data: [] } }

function judgedAliases(bodies: Record<string, Body>): Promise<string> {
  Object.assign(stub, { bodies })
  return verdict((judge) => judgeAliases(TARGET, judge, RULE))
}

test.each<[alias: string, path: string, body: Body]>([
  ['/swaps/', '/swaps', ROWS],
  ['/swaps;x=1', '/swaps', ROWS],
  ['/unclaimed/', '/unclaimed', NO_ROWS],
])('%s that serves the records of %s is reported', async (alias, path, body) => {
  expect(await judgedAliases({ [alias]: body, [path]: { status: 401 } })).toBe(
    `fail without a credential GET ${alias} returns records, and GET ${path} 401`,
  )
})

test.each<[what: string, bodies: Record<string, Body>, problems?: string[]]>([
  ['an alias that is not found', { '/swaps': { status: 401 } }],
  ['a redirect', { '/swaps/': { status: 308 }, '/swaps': { status: 401 } }],
  ['an alias without swaps', { '/swaps/': NO_ROWS, '/swaps': { status: 401 } }],
  ['an alias with another body', { '/swaps/': ROWS, '/swaps': { status: 401 } }, ['no swap']],
  ['an open path', { '/swaps/': ROWS, '/swaps': ROWS }],
])('%s is not reported', async (_, bodies, problems = []) => {
  stub.problems = problems
  expect(await judgedAliases(bodies)).toBe('inconclusive')
})

test.each<[alias: Body, exact: number[], problems: string[], expected: string]>([
  [{ status: 200 }, [403, 403], [], 'fail GET /referral/codes/ returns the codes'],
  [{ status: 200 }, [403, 403], ['no codes'], 'inconclusive'],
  [{ status: 200 }, [403, 404], [], 'inconclusive'],
  [{ status: 404 }, [403, 403], [], 'inconclusive'],
])('an alias of the codes, %j, with %j from their path: %j: %s', async (alias, exact, problems, expected) => {
  Object.assign(stub, { bodies: { '/referral/codes/': alias }, problems })
  const replies = exact.map((status) => ({ status }) as Reply) // as: only the status is read
  const found = await verdict((judge) =>
    judgeCodesAlias(TARGET, judge, { rule: RULE, credential: { bearer: '' }, exact: replies }),
  )
  expect(found).toBe(expected)
})
