import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import type { RequestSpec } from '../requests/request.ts'
import { findWrongRefusal, isStillServed } from './still-served.ts'

const stub = vi.hoisted(() => ({
  statuses: {} as Record<string, number[]>,
  requested: [] as string[],
  nowMs: 0,
}))

// Modules that use k6, and the clock.
vi.mock('../requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  request: async (
    _target: Target,
    { path, credential }: RequestSpec & { credential: { bearer: string } },
  ) => {
    const statuses = stub.statuses[credential.bearer] ?? []
    stub.requested.push(`${credential.bearer} ${path}`)
    return { status: statuses.length > 1 ? statuses.shift() : statuses[0], evidence: () => '' }
  },
}))
vi.mock('./session.ts', () => ({ credentialRead: () => ({ method: 'GET', path: '/swaps' }) }))
vi.mock('../time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() => Object.assign(stub, { statuses: {}, requested: [] }))

const check = (own: number[], witness: number[]) => {
  stub.statuses = { own, witness }
  return isStillServed({} as Target, { bearer: 'own' }, { witness: { bearer: 'witness' } }) // as: unused by the mock
}

test('a credential that is served needs no witness', async () => {
  expect(await check([200], [401])).toMatchObject({ outcome: 'served' })
  expect(stub.requested).toEqual(['own /swaps'])
})

test.each([401, 403, 404])(
  'a repeated %i, while another credential is served, is a rejection',
  async (status) => {
    expect(await check([status], [200])).toMatchObject({ outcome: 'refused' })
    expect(stub.requested).toHaveLength(7)
  },
)

test('a transient rejection does not count', async () => {
  expect(await check([403, 403, 200], [200])).toMatchObject({ outcome: 'served' })
})

test.each([
  ['a witness that is refused as well', [401], [401]],
  ['refusals of several kinds', [401, 403], [200]],
  ['an error', [500], [200]],
] as const)('%s leaves it open', async (_, own, witness) => {
  expect(await check([...own], [...witness])).toMatchObject({ outcome: 'unclear' })
})

const checkEnded = (own: number[], witness: number[]) => {
  stub.statuses = { own, witness }
  return findWrongRefusal({} as Target, { bearer: 'own' }, { witness: { bearer: 'witness' } }) // as: unused by the mock
}

test('an ended credential is rejected with another status than 401, while another one is served', async () => {
  expect(await checkEnded([403], [200])).toMatchObject({ reply: { status: 403 } })
})

test.each([
  ['a rejection with 401', [401], [200]],
  ['a service', [200], [200]],
  ['a rate limit', [429], [200]],
  ['an error', [500], [200]],
  ['a transient rejection', [403, 401], [200]],
  ['a witness that is rejected as well', [403], [403]],
] as const)('%s is no wrong rejection', async (_, own, witness) => {
  expect(await checkEnded([...own], [...witness])).toBeUndefined()
})
