import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { waitUntilShown } from './wait-until-shown.ts'

const stub = vi.hoisted(() => ({ hasControl: false, mined: 0 }))

vi.mock('../time/has-control.ts', () => ({ hasControl: () => stub.hasControl }))
vi.mock('../time/pause.ts', () => ({ pause: async (ms: number) => vi.advanceTimersByTime(ms) }))
vi.mock('./control.ts', () => ({
  control: async () => {
    stub.mined++
  },
}))

const TARGET = {} as Target // as: unused

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(stub, { hasControl: false, mined: 0 })
  return () => vi.useRealTimers()
})

/** Shown from the given turn on. */
function shownAt(turn: number) {
  let checks = 0
  return async () => ++checks >= turn
}

test.each([
  { hasControl: false, turn: 1, shown: 'shown', mined: 0 },
  { hasControl: false, turn: 61, shown: 'shown', mined: 0 },
  { hasControl: false, turn: 63, shown: 'late', mined: 0 },
  { hasControl: true, turn: 1, shown: 'shown', mined: 0 },
  { hasControl: true, turn: 21, shown: 'shown', mined: 20 },
  { hasControl: true, turn: 22, shown: 'never', mined: 20 },
])(
  'shown at check $turn: $shown, with a control API: $hasControl',
  async ({ hasControl, turn, shown, mined }) => {
    stub.hasControl = hasControl
    expect(await waitUntilShown(TARGET, shownAt(turn))).toBe(shown)
    expect(stub.mined).toBe(mined)
  },
)
