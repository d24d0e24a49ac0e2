import { expect, test } from 'vitest'
import { createRandom, type Random } from './random.ts'

const draws = (seed: number, name: string) => {
  const stream = createRandom(seed).stream(name)
  return Array.from({ length: 8 }, () => stream.int(0, 1_000_000))
}

test('draws the same for the same seed and name, and different values otherwise', () => {
  expect(draws(7, 'traders')).toEqual(draws(7, 'traders'))
  expect(draws(7, 'traders')).not.toEqual(draws(8, 'traders'))
  expect(draws(7, 'traders')).not.toEqual(draws(7, 'claimers'))
})

test('a name gives one stream, which continues', () => {
  const random = createRandom(7)
  const first = Array.from({ length: 4 }, () => random.stream('traders').int(0, 1_000_000))
  const next = Array.from({ length: 4 }, () => random.stream('traders').int(0, 1_000_000))
  expect([...first, ...next]).toEqual(draws(7, 'traders'))
})

test('drawing from one stream does not affect another', () => {
  const random = createRandom(7)
  random.stream('claimers').bytes(100)
  expect(random.stream('traders').int(0, 1_000_000)).toBe(draws(7, 'traders')[0])
})

test('continues from the saved position, in streams handed out before and after', () => {
  const drawn = (random: Random) =>
    ['traders', 'claimers', 'late'].map((name) =>
      Array.from({ length: 5 }, () => random.stream(name).int(0, 1e6)),
    )
  const random = createRandom(7)
  const traders = random.stream('traders')
  traders.bytes(10)
  random.stream('claimers').bytes(3)
  const saved = structuredClone(random.save())
  expect(Object.keys(saved)).toEqual(['traders', 'claimers'])
  const next = drawn(random)
  traders.bytes(2)
  random.restore(saved)
  expect(drawn(random)).toEqual(next)
  random.restore(saved)
  expect(Array.from({ length: 5 }, () => traders.int(0, 1e6))).toEqual(next[0])

  const another = createRandom(7)
  another.restore(saved)
  expect(drawn(another)).toEqual(next)
})

test('stays within its bounds and reaches them', () => {
  const stream = createRandom(1).stream('bounds')
  const ints = Array.from({ length: 200 }, () => stream.int(-1, 2))
  const bigints = Array.from({ length: 200 }, () => stream.bigint(10n ** 30n, 10n ** 30n + 2n))
  const floats = Array.from({ length: 200 }, () => stream.float())
  expect(new Set(ints)).toEqual(new Set([-1, 0, 1, 2]))
  expect(new Set(bigints)).toEqual(new Set([0n, 1n, 2n].map((above) => 10n ** 30n + above)))
  expect(floats.every((value) => value >= 0 && value < 1)).toBe(true)
  expect(stream.bytes(33)).toHaveLength(33)
  expect(() => stream.pick([])).toThrow('pick needs at least one item')
})
