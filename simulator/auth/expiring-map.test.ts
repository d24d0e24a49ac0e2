import { expect, it } from 'vitest'
import { createClock } from '../clock.ts'
import { createExpiringMap } from './expiring-map.ts'

it('keeps an entry for its lifetime and not a millisecond longer', () => {
  const clock = createClock({ startMs: 1000 })
  const map = createExpiringMap<string>({ clock, lifetimeMs: 500 })
  expect(map.add('a', 'one')).toBe(1500)
  clock.advance(499)
  expect(map.get('a')).toBe('one')
  clock.advance(1)
  expect(map.get('a')).toBeUndefined()
  expect(map.take('a')).toBeUndefined()
})

it('only one caller takes an entry', () => {
  const map = createExpiringMap<string>({ clock: createClock({ startMs: 0 }), lifetimeMs: 500 })
  map.add('a', 'one')
  expect([map.take('a'), map.take('a')]).toEqual(['one', undefined])
})

it('removes expired entries', () => {
  const clock = createClock({ startMs: 0 })
  const map = createExpiringMap<number>({ clock, lifetimeMs: 10 })
  for (let index = 0; index < 1000; index++) {
    map.add(`key${index}`, index)
    clock.advance(1)
  }
  expect(map.size()).toBe(10)
})
