import { expect, test } from 'vitest'
import { writtenIo } from '../../tools/test/written-io.ts'
import { createTimelinePrinter } from './timeline-printer.ts'

function printed(options: { isTerminal: boolean; actors: readonly string[]; text?: string }): string[] {
  const { isTerminal, actors, text = 'GET /pools' } = options
  const { io, written } = writtenIo({ stdout: isTerminal })
  const printer = createTimelinePrinter(io)
  for (const actor of actors)
    printer.print({ timeline: 1, atMs: 1234, actor, kind: 'sent', text, rule: 'a.b' })
  printer.end()
  return written().trimEnd().split('\n')
}

test('columns are aligned, and have no colours where nobody watches', () => {
  expect(printed({ isTerminal: false, actors: ['bot', 'right-client', 'bot'] })).toEqual([
    '   1.234 s  bot         sent     GET /pools [a.b]',
    '   1.234 s  right-client  sent     GET /pools [a.b]',
    '   1.234 s  bot           sent     GET /pools [a.b]',
  ])
})

test('a terminal gets colours, and none that a target chose', () => {
  const [line = ''] = printed({ isTerminal: true, actors: ['bot'], text: 'red \u001b[31m' })
  expect(line).toContain('\u001b[36msent')
  expect(line).toContain('red \\u001b[31m')
})

test('of a crowd the first actors are printed, and the others counted', () => {
  const actors = Array.from({ length: 50 }, (_, index) => `socket-${index}`)
  const lines = printed({ isTerminal: false, actors: [...actors, ...actors] })
  expect(lines).toHaveLength(41)
  expect(lines.at(-1)).toBe('and 60 entries of 30 more actors, which the timeline has')
})
