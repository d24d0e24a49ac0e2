import { expect, test } from 'vitest'
import { writtenIo } from '../../tools/test/written-io.ts'
import { step } from './step.ts'

const CLEAR = '\r\x1b[2K'

test.each([
  { what: 'ends', work: async () => 'done' },
  { what: 'fails', work: () => Promise.reject(new Error('done')) },
])('what takes a moment is shown until it $what', async ({ work }) => {
  const { io, written } = writtenIo({ stderr: true })
  const result = step(io, 'report', work).catch(({ message }) => message)
  expect(written()).toBe(`${CLEAR}report`)
  expect(await result).toBe('done')
  expect(written()).toBe(`${CLEAR}report${CLEAR}`)
})
