import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { terminalScreen, writtenIo } from '../../tools/test/written-io.ts'
import { showProgress } from './show-progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('polls twice per second, shows the state and removes it at the end', async () => {
  const { io, written } = writtenIo({ stderr: true })
  let looks = 0
  const look = async () => {
    looks += 1
  }
  const { stop } = showProgress(io, { look, parts: () => (looks === 3 ? [] : [`look ${looks}`]) })
  await vi.advanceTimersByTimeAsync(2000)
  await stop()
  await vi.advanceTimersByTimeAsync(2000)
  expect(terminalScreen(written())).toEqual({
    lines: [''],
    cleared: ['look 1', 'look 2', 'look 4', 'look 5'],
  })
  expect(looks).toBe(6)
})

test('a poll that fails or is slow ends nothing', async () => {
  const { io, written } = writtenIo({ stderr: true })
  let looks = 0
  const look = async () => {
    looks += 1
    if (looks === 1) throw new Error('the file is gone')
    if (looks === 2) await new Promise((lookEnds) => setTimeout(lookEnds, 1900)) // of the fake clock
  }
  const { stop } = showProgress(io, { look, parts: () => [`look ${looks}`] })
  await vi.advanceTimersByTimeAsync(2900)
  await stop()
  expect(terminalScreen(written()).cleared).toEqual(['look 1', 'look 2', 'look 3'])
})

test('with --quiet nothing is read', async () => {
  const { io } = writtenIo({ stderr: true }, 'quiet')
  const look = vi.fn(async () => {})
  const { stop } = showProgress(io, { look, parts: () => ['x'] })
  await vi.advanceTimersByTimeAsync(5000)
  await stop()
  expect(look).not.toHaveBeenCalled()
})
