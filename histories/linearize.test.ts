import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Operation } from '../contract/history.ts'
import { linearize, type Model } from './linearize.ts'

const NEVER = Number.POSITIVE_INFINITY

/** A register: D writes its argument, T reads its value. */
const REGISTER: Model = {
  initial: [0],
  next(state, { kind, argument, value }) {
    if (kind === 'D') return [argument ?? 0]
    return value === state ? [state] : []
  },
}

const operation = fc
  .record({ write: fc.boolean(), number: fc.nat(2), call: fc.nat(20), takes: fc.nat(8), open: fc.nat(5) })
  .map(({ write, number, call, takes, open }): Operation => {
    const base = { call, status: 200, return: write && open === 0 ? NEVER : call + takes }
    return write
      ? { ...base, kind: 'D', argument: number, value: null }
      : { ...base, kind: 'T', argument: null, value: number }
  })

test('agrees with trying all orders', () => {
  const outcomes = new Set<string>()
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      const sorted = operations.toSorted((a, b) => a.call - b.call)
      const expected = hasOrder(sorted, 0) ? 'yes' : 'no'
      outcomes.add(expected)
      expect(linearize(REGISTER, sorted)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
  expect([...outcomes].sort()).toEqual(['no', 'yes'])
})

/** Takes any operation next that was called before all others of the rest returned. */
function hasOrder(rest: readonly Operation[], state: number): boolean {
  if (rest.every((each) => each.return === NEVER)) return true
  return rest.some((next) => {
    const others = rest.filter((each) => each !== next)
    if (others.some((each) => each.return < next.call)) return false
    return REGISTER.next(state, next).some((reached) => hasOrder(others, reached))
  })
}

test('gives up after too many steps', () => {
  const writes = Array.from(
    { length: 12 },
    (_, index): Operation => ({
      kind: 'D',
      call: index,
      return: 100,
      status: 200,
      argument: index,
      value: null,
    }),
  )
  const read: Operation = { kind: 'T', call: 200, return: 201, status: 200, argument: null, value: 99 }
  expect(linearize(REGISTER, [...writes, read], { stepsMax: 500 })).toBe('unknown')
  expect(linearize(REGISTER, [...writes, { ...read, value: 3 }], { stepsMax: 500 })).toBe('yes')
})
