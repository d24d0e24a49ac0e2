import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import type { RequestSpec } from '../requests/request.ts'
import { awaitUnclaimed, readUnclaimed } from './read-unclaimed.ts'

const stub = vi.hoisted(() => ({
  /** Pending swaps that successive reads with a token return. */
  pending: {} as Record<string, number[]>,
  mined: 0,
}))

vi.mock('../identity/credential.ts', () => ({ readCredential: async () => ({ bearer: 'first' }) }))
vi.mock('../time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../time/has-control.ts', () => ({ hasControl: () => true }))
vi.mock('../world/control.ts', () => ({
  control: async () => {
    stub.mined++
  },
}))
vi.mock('../requests/request.ts', () => ({
  request: async (_: Target, { credential }: RequestSpec) => {
    const { bearer } = credential as { bearer: string } // as: the only kind used here
    const count = stub.pending[bearer]?.shift() ?? 0
    return { status: 200, json: { data: { pending_swaps: Array(count).fill({}), positions_with_owed: [] } } }
  },
}))

const TARGET = { apiTokens: ['first', 'second', 'third'] } as unknown as Target // as: the only part used

beforeEach(() => Object.assign(stub, { pending: {}, mined: 0 }))

test.each([
  { pending: { first: [2], second: [3] }, bearer: 'first', why: 'its own' },
  { pending: { second: [0], third: [1] }, bearer: 'third', why: 'the first wallet with unclaimed outputs' },
  { pending: {}, bearer: 'first', why: 'its own, if no wallet has any' },
])('reads what is unclaimed: $why', async ({ pending, bearer }) => {
  stub.pending = pending
  expect((await readUnclaimed(TARGET, ['pending_swaps'])).credential).toEqual({ bearer })
})

test('rows of an unrequested list do not count', async () => {
  stub.pending = { first: [0], second: [4] }
  expect((await readUnclaimed(TARGET, ['positions_with_owed'])).credential).toEqual({ bearer: 'first' })
})

test('lets the chain advance until something is owed', async () => {
  stub.pending = { second: [0, 0, 1] }
  expect((await awaitUnclaimed(TARGET, ['pending_swaps'])).credential).toEqual({ bearer: 'second' })
  expect(stub.mined).toBe(2)
})

test('gives up after a while', async () => {
  expect((await awaitUnclaimed(TARGET, ['pending_swaps'])).credential).toEqual({ bearer: 'first' })
  expect(stub.mined).toBe(59)
})
