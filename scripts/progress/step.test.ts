import { expect, test } from 'vitest'
import { NO_TERMINAL } from '../io.ts'
import { openIo } from './open-io.ts'
import { step } from './step.ts'

const CLEAR = '\r\x1b[2K'

test.each([
  { what: 'ends', work: async () => 'done' },
  { what: 'fails', work: () => Promise.reject(new Error('done')) },
])('what takes a moment is shown until it $what', async ({ work }) => {
  let written = ''
  const io = openIo({
    argv: [],
    env: {},
    cwd: '.',
    stdout: () => {},
    stderr: (text) => {
      written += text
    },
    terminal: { ...NO_TERMINAL, stderr: true },
    interrupted: new AbortController().signal,
  })
  const result = step(io, 'report', work).catch(({ message }) => message)
  expect(written).toBe(`${CLEAR}report`)
  expect(await result).toBe('done')
  expect(written).toBe(`${CLEAR}report${CLEAR}`)
})
