import { expect, test } from 'vitest'
import { writtenIo } from '../tools/test/written-io.ts'
import { tellInterruptedEnd, tellInterruption } from './io.ts'

const HEARD = 'interrupted: writing the report; Ctrl-C again ends at once\n'

test.each(['usual', 'quiet'] as const)(
  'Ctrl-C before and after a run began is heard once: %s',
  (loudness) => {
    const after = writtenIo({}, loudness)
    tellInterruption(after.io)
    expect(after.written()).toBe('')
    after.interrupt()
    after.interrupt()
    expect(after.written()).toBe(HEARD)
    const before = writtenIo({}, loudness)
    before.interrupt()
    tellInterruption(before.io)
    expect(before.written()).toBe(HEARD)
  },
)

test('reports an interruption after the command ended, unless its run did', () => {
  const short = writtenIo()
  short.interrupt()
  tellInterruptedEnd(short.io)
  expect(short.written()).toBe('breakwater: interrupted\n')
  const run = writtenIo()
  tellInterruption(run.io)
  run.interrupt()
  tellInterruptedEnd(run.io)
  expect(run.written()).toBe(HEARD)
})

test('a failed output is not an interruption', () => {
  const { io, written } = writtenIo()
  tellInterruptedEnd({ ...io, interrupted: AbortSignal.abort() })
  expect(written()).toBe('')
})
