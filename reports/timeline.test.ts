import { expect, test } from 'vitest'
import type { TimelineLine } from '../contract/run.ts'
import { createScale, foldActors } from './timeline.ts'

const buildLine = (number: number, more: Partial<TimelineLine> = {}): TimelineLine => ({
  number,
  atMs: 0,
  actor: 'bot',
  kind: 'sent',
  text: 'GET /pools',
  ...more,
})

test('gives few actors a lane each, in order of appearance', () => {
  const lines = ['b', 'a', 'b'].map((actor, index) => buildLine(index + 1, { actor }))
  const lanes = foldActors(lines)
  expect(lanes.map(({ actors, lines: own }) => [actors, own.map(({ number }) => number)])).toEqual([
    [['b'], [1, 3]],
    [['a'], [2]],
  ])
})

test('many actors share a lane if only numbers differ, and no line is lost', () => {
  const lines = Array.from({ length: 200 }, (_, index) => index).flatMap((index) => [
    buildLine(2 * index + 1, { actor: `s-${index}`, text: `waits ${index}.5 s` }),
    buildLine(2 * index + 2, {
      actor: `s-${index}`,
      kind: 'outcome',
      text: index % 50 === 0 ? 'lost' : 'back',
    }),
  ])
  const lanes = foldActors(lines)
  expect(lanes.map(({ actors }) => actors.length)).toEqual([4, 196])
  expect(lanes.flatMap((lane) => lane.lines).sort((a, b) => a.number - b.number)).toEqual(lines)
})

test('scales by order if time stops, else by time', () => {
  const still = createScale(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => buildLine(number, { atMs: number < 8 ? 0 : 9000 })),
  )
  expect(still.name).toBe('order of events (simultaneous ones side by side)')
  expect(still.at(buildLine(5))).toBe(0.5)
  expect(still.ticks).toEqual([
    { at: 0, text: '0.000 s' },
    { at: 0.875, text: '9.000 s' },
  ])
  const lines = [0, 1000, 4000].map((atMs, index) => buildLine(index + 1, { atMs }))
  const going = createScale(lines)
  expect(going.name).toBe('time')
  expect(lines.map(going.at)).toEqual([0, 0.25, 1])
})

test('a single line has its place', () => {
  const only = buildLine(1, { atMs: 5 })
  expect(createScale([only]).at(only)).toBe(0)
})
