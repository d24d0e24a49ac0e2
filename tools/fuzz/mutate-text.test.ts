import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawFrom } from './draw.ts'
import { mutateFile, mutateJson } from './mutate-text.ts'

const VALUE = { name: 'a', list: [1, 2, { deep: true }], none: null }

test('changes any JSON value, the same for the same seed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer(), (value, seed) => {
      const text = drawFrom(seed, (draw) => mutateJson(value, draw))
      expect(drawFrom(seed, (draw) => mutateJson(value, draw))).toBe(text)
    }),
    { numRuns: 50 },
  )
})

test('keeps most of a value, so that it passes the first check', () => {
  const texts = Array.from({ length: 300 }, (_, seed) => drawFrom(seed, (draw) => mutateJson(VALUE, draw)))
  const parsed = texts.flatMap((text) => {
    try {
      return [JSON.parse(text)]
    } catch {
      return []
    }
  })
  expect(parsed.length).toBeGreaterThan(200)
  expect(parsed.filter((value) => value?.name === 'a').length).toBeGreaterThan(150)
  expect(texts.filter((text) => text === JSON.stringify(VALUE)).length).toBeLessThan(30)
  expect(texts.some((text) => text.includes('1e999'))).toBe(true)
})

test('mostly keeps lines of JSON as lines', () => {
  const lines = `${[1, 2, 3].map((number) => JSON.stringify({ number })).join('\n')}\n`
  const files = Array.from({ length: 200 }, (_, seed) =>
    String(drawFrom(seed, (draw) => mutateFile('x.ndjson', lines, draw))),
  )
  expect(files.filter((text) => text.includes('{"number":2}\n')).length).toBeGreaterThan(60)
  expect(files.filter((text) => text === lines).length).toBeLessThan(20)
})
