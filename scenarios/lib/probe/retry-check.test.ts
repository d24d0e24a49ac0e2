import { expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { createRetryCheck } from './retry-check.ts'

const feed = vi.hoisted(() => ({ restarts: 0, resyncs: 0 }))
// Modules that use k6.
vi.mock('../feed/feed.ts', () => ({
  countCloses: (_: Target, code: number) => (code === 1012 ? feed.restarts : 100 + feed.restarts),
  countResyncs: () => feed.resyncs,
}))
vi.mock('../feed/served-feed.ts', () => ({ RESTART_CODE: 1012 }))

const TARGET = {} as Target // as: only its identity matters

test('looks again after each try that met a restart, three times at the most', () => {
  const again = createRetryCheck(TARGET, () => 0)
  const checks = Array.from({ length: 5 }, () => {
    feed.restarts++
    return again()
  })
  expect(checks).toEqual([true, true, true, false, false])
})

test('a restart before the try, or during the one before, is no reason', () => {
  feed.restarts = 3
  const again = createRetryCheck(TARGET, () => 0)
  expect(again()).toBe(false)
  feed.restarts = 4
  expect([again(), again()]).toEqual([true, false])
})

test('looks again after a try in which updates may have been missed', () => {
  const again = createRetryCheck(TARGET, () => 0)
  feed.resyncs++
  expect([again(), again()]).toEqual([true, false])
})

test('begins no other try after a minute', () => {
  let nowMs = 1000
  const again = createRetryCheck(TARGET, () => nowMs)
  feed.restarts++
  nowMs += 59_999
  expect(again()).toBe(true)
  feed.restarts++
  nowMs += 1
  expect(again()).toBe(false)
})
