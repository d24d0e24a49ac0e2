import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { TimelineEntry } from '../../contract/run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { createTimelinePrinter, followTimeline, orderRaces } from './run-case.ts'

function printed(options: { isTerminal: boolean; actors: readonly string[]; text?: string }): string[] {
  const { isTerminal, actors, text = 'GET /pools' } = options
  const { io, written } = writtenIo({ stdout: isTerminal })
  const printer = createTimelinePrinter(io)
  for (const actor of actors)
    printer.print({ timeline: 1, atMs: 1234, actor, kind: 'sent', text, rule: 'a.b' })
  printer.end()
  return written().trimEnd().split('\n')
}

test('columns are aligned, and colorless without a terminal', () => {
  expect(printed({ isTerminal: false, actors: ['bot', 'right-client', 'bot'] })).toEqual([
    '   1.234 s  bot         sent      GET /pools [a.b]',
    '   1.234 s  right-client  sent      GET /pools [a.b]',
    '   1.234 s  bot           sent      GET /pools [a.b]',
  ])
})

test('a terminal gets our colors and none from a target', () => {
  const [line = ''] = printed({ isTerminal: true, actors: ['bot'], text: 'red \u001b[31m' })
  expect(line).toContain('\u001b[36msent')
  expect(line).toContain('red \\u001b[31m')
})

test('prints the first actors of a crowd and counts the others', () => {
  const actors = Array.from({ length: 50 }, (_, index) => `socket-${index}`)
  const lines = printed({ isTerminal: false, actors: [...actors, ...actors] })
  expect(lines).toHaveLength(41)
  expect(lines.at(-1)).toBe('and 60 entries of 30 more actors in the timeline')
})

const line = (text: string) => JSON.stringify({ timeline: 1, atMs: 1, actor: 'a', kind: 'sent', text })

test('passes on entries as they are written, even in pieces', async () => {
  const file = join(temporaryFolder(), 'findings.ndjson')
  const lines: TimelineEntry[] = []
  const timeline = followTimeline({ file, onEntry: (entry) => lines.push(entry) })
  const bytes = Buffer.from(`${line('größer 🌊')}\n`)
  appendFileSync(file, `{"finding":1}\n${line('one')}\n`)
  await vi.waitUntil(() => lines.length === 1)
  const middle = bytes.indexOf(Buffer.from('🌊')) + 2
  appendFileSync(file, bytes.subarray(0, middle))
  appendFileSync(file, bytes.subarray(middle))
  appendFileSync(
    file,
    `{"timeline":1,"atMs":"no"}\n{"timeline":1,\n${line('last')}\n${line('cut').slice(0, -3)}`,
  )
  const entries = await timeline.stop()
  expect(entries.map(({ text }) => text)).toEqual(['one', 'größer 🌊', 'last'])
  expect(lines).toEqual(entries)
})

test('a missing file has no entries', async () => {
  const file = join(temporaryFolder(), 'nowhere.ndjson')
  expect(await followTimeline({ file, onEntry: () => {} }).stop()).toEqual([])
})

const entry = (actor: string, text: string, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  timeline: 1,
  atMs: 0,
  actor,
  kind: 'sent',
  text,
  ...more,
})
const ofTab = (actor: string, place: 'winner' | 'loser'): TimelineEntry[] => [
  entry(actor, 'refresh', { race: 1 }),
  entry(actor, place === 'winner' ? '200' : '409', { race: 1, kind: 'received' }),
  entry(actor, 'ended', { race: 1, kind: 'outcome', place }),
]

test('numbers entries in order, and leaves them unchanged', () => {
  const entries = [entry('a', '1'), entry('b', '2', { rule: 'r', kind: 'verdict' }), entry('a', '3')]
  expect(orderRaces(entries)).toEqual([
    { number: 1, atMs: 0, actor: 'a', kind: 'sent', text: '1' },
    { number: 2, atMs: 0, actor: 'b', kind: 'verdict', text: '2', rule: 'r' },
    { number: 3, atMs: 0, actor: 'a', kind: 'sent', text: '3' },
  ])
})

test('a race is listed by actor, winner first, without names', () => {
  const [one, two] = [ofTab('tab-1', 'loser'), ofTab('tab-2', 'winner')]
  const mixed = [one[0], two[0], two[1], two[2], one[1], one[2]].filter((each) => each !== undefined)
  const lines = orderRaces([entry('browser', 'before'), ...mixed, entry('browser', 'after')])
  expect(lines.map(({ number, actor, text }) => `${number} ${actor} ${text}`)).toEqual([
    '1 browser before',
    '2 winner refresh',
    '3 winner 200',
    '4 winner ended',
    '5 loser-1 refresh',
    '6 loser-1 409',
    '7 loser-1 ended',
    '8 browser after',
  ])
})

test('several winners are numbered, and an actor without an end keeps its name', () => {
  const unended = entry('tab-3', 'refresh', { race: 1 })
  const lines = orderRaces([...ofTab('tab-1', 'winner'), unended, ...ofTab('tab-2', 'winner')])
  expect([...new Set(lines.map(({ actor }) => actor))]).toEqual(['winner-1', 'winner-2', 'tab-3'])
})

test('the winner and the interleaving do not change the timeline; nothing is left out', () => {
  const turns = fc.array(fc.nat(), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(4), turns, (tabs, chosen, draws) => {
      const winner = chosen % tabs
      const stories = Array.from({ length: tabs }, (_, tab) =>
        ofTab(`tab-${tab}`, tab === winner ? 'winner' : 'loser'),
      )
      const lines = orderRaces(interleaved(stories, draws))
      expect(lines).toHaveLength(3 * tabs)
      expect(lines).toEqual(orderRaces(stories.flat()))
      const byWinner = orderRaces(
        Array.from({ length: tabs }, (_, tab) => ofTab(`tab-${tab}`, tab === 0 ? 'winner' : 'loser')).flat(),
      )
      expect(lines).toEqual(byWinner)
    }),
  )
})

function interleaved(stories: readonly TimelineEntry[][], draws: readonly number[]): TimelineEntry[] {
  const left = stories.map((story) => [...story])
  const out: TimelineEntry[] = []
  for (const draw of draws) {
    const open = left.filter((story) => story.length > 0)
    const next = open[draw % Math.max(1, open.length)]?.shift()
    if (next !== undefined) out.push(next)
  }
  return out
}
