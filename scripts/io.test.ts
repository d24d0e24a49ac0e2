import { expect, test } from 'vitest'
import { writtenIo } from '../tools/test/written-io.ts'
import { printInterruptedEnd, printInterruption } from './io.ts'

const HEARD = 'interrupted: writing the report; Ctrl-C again ends at once\n'

test.each(['normal', 'quiet'] as const)(
  'Ctrl-C before and after a run began is heard once: %s',
  (verbosity) => {
    const after = writtenIo({}, verbosity)
    printInterruption(after.io)
    expect(after.written()).toBe('')
    after.interrupt()
    after.interrupt()
    expect(after.written()).toBe(HEARD)
    const before = writtenIo({}, verbosity)
    before.interrupt()
    printInterruption(before.io)
    expect(before.written()).toBe(HEARD)
  },
)

test('reports an interruption after the command ended, unless its run did', () => {
  const short = writtenIo()
  short.interrupt()
  printInterruptedEnd(short.io)
  expect(short.written()).toBe('breakwater: interrupted\n')
  const run = writtenIo()
  printInterruption(run.io)
  run.interrupt()
  printInterruptedEnd(run.io)
  expect(run.written()).toBe(HEARD)
})

test('a failed output is not an interruption', () => {
  const { io, written } = writtenIo()
  printInterruptedEnd({ ...io, interrupted: AbortSignal.abort() })
  expect(written()).toBe('')
})
