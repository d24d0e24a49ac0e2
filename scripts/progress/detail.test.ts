import { expect, test } from 'vitest'
import { writtenIo } from '../../tools/test/written-io.ts'
import { detail, onDetail, step, timed } from './detail.ts'

test('only listeners get details, until released', async () => {
  const received: string[] = []
  detail('before')
  const listening = onDetail((text) => received.push(text))
  detail('now')
  expect(await timed('work', async () => 7)).toBe(7)
  await expect(timed('work that fails', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  listening.release()
  detail('after')
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
