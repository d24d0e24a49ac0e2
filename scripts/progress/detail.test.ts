import { expect, test } from 'vitest'
import { writtenIo } from '../../tools/test/written-io.ts'
import { logDetail, logDuration, onDetail, step } from './detail.ts'

test('only listeners get details, until released', async () => {
  const received: string[] = []
  logDetail('before')
  const listening = onDetail((text) => received.push(text))
  logDetail('now')
  expect(await logDuration('work', async () => 7)).toBe(7)
  await expect(logDuration('work that fails', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  listening.release()
  logDetail('after')
  expect(received).toEqual([
    'now',
    expect.stringMatching(/^work: \d+\.\d\d s$/),
    expect.stringMatching(/^work that fails: \d+\.\d\d s$/),
  ])
})

const CLEAR = '\r\x1b[2K'

test.each([
  { what: 'ends', work: async () => 'done' },
  { what: 'fails', work: () => Promise.reject(new Error('done')) },
])('shows a step until it $what', async ({ work }) => {
  const { io, written } = writtenIo({ stderr: true })
  const result = step(io, 'report', work).catch(({ message }) => message)
  expect(written()).toBe(`${CLEAR}report`)
  expect(await result).toBe('done')
  expect(written()).toBe(`${CLEAR}report${CLEAR}`)
})
