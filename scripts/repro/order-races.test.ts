import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TimelineEntry } from '../../contract/timeline.ts'
import { orderRaces } from './order-races.ts'

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
  entry(actor, place === 'winner' ? '200' : '409', { race: 1, kind: 'came' }),
  entry(actor, 'ended', { race: 1, kind: 'outcome', place }),
]

test('numbers what happened in order, and leaves it as it is', () => {
  const entries = [entry('a', '1'), entry('b', '2', { rule: 'r', kind: 'verdict' }), entry('a', '3')]
  expect(orderRaces(entries)).toEqual([
    { number: 1, atMs: 0, actor: 'a', kind: 'sent', text: '1' },
    { number: 2, atMs: 0, actor: 'b', kind: 'verdict', text: '2', rule: 'r' },
    { number: 3, atMs: 0, actor: 'a', kind: 'sent', text: '3' },
  ])
})

test('a race is told actor by actor, the winner first, and nobody by name', () => {
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

test('several winners are numbered, and who never ended keeps its name', () => {
  const unended = entry('tab-3', 'refresh', { race: 1 })
  const lines = orderRaces([...ofTab('tab-1', 'winner'), unended, ...ofTab('tab-2', 'winner')])
  expect([...new Set(lines.map(({ actor }) => actor))]).toEqual(['winner-1', 'winner-2', 'tab-3'])
})

test('whoever wins, and however the actors took turns, the same is told; nothing is left out', () => {
  const turns = fc.array(fc.nat(), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(4), turns, (tabs, chosen, draws) => {
      const winner = chosen % tabs
      const stories = Array.from({ length: tabs }, (_, tab) =>
        ofTab(`tab-${tab}`, tab === winner ? 'winner' : 'loser'),
      )
      const told = orderRaces(interleaved(stories, draws))
      expect(told).toHaveLength(3 * tabs)
      expect(told).toEqual(orderRaces(stories.flat()))
      const byWinner = orderRaces(
        Array.from({ length: tabs }, (_, tab) => ofTab(`tab-${tab}`, tab === 0 ? 'winner' : 'loser')).flat(),
      )
      expect(told).toEqual(byWinner)
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
