import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { loadWorldFixture } from '../world-fixture.ts'
import { draftRandomToken, HOSTILE_NAMES, LONG_NAME_LENGTH } from './founder.ts'

const { tokens } = loadWorldFixture('tiny')

test('names depend on the stream only', () => {
  const names = (seed: number) => {
    const stream = createRandom(seed).stream('names')
    return Array.from({ length: 5 }, () => draftRandomToken(stream, tokens).name)
  }
  expect(names(1)).toEqual(names(1))
  expect(names(1)).not.toEqual(names(2))
})

test('hostile names come all of them in order, or drawn, and contain what their key says', () => {
  const hostile = { ...tokens, names: 'hostile' as const }
  const stream = createRandom(1).stream('names')
  const kinds = Object.keys(HOSTILE_NAMES).length
  const inRow = Array.from({ length: kinds }, (_, place) => draftRandomToken(stream, hostile, place))
  expect(new Set(inRow.map(({ name }) => name)).size).toBe(kinds)
  const drawn = Array.from({ length: 200 }, () => draftRandomToken(stream, hostile))
  expect(new Set(drawn.map(({ symbol }) => symbol)).size).toBeGreaterThanOrEqual(kinds - 1)
  for (const { id, symbol, name, underlyingProgram } of [...inRow, ...drawn]) {
    expect(id).toMatch(/field$/)
    expect(underlyingProgram).toMatch(/^[a-z0-9_]+\.program$/)
    for (const text of [symbol, name]) {
      expect(text).not.toBe('')
      expect(text).not.toContain('\0')
      expect(Buffer.from(text).toString()).toBe(text)
    }
  }
  expect(HOSTILE_NAMES.long?.().name).toHaveLength(LONG_NAME_LENGTH)
})

test('two tokens with the same name differ in id and address', () => {
  const stream = createRandom(1).stream('names')
  const drafts = Array.from({ length: 300 }, () => draftRandomToken(stream, tokens))
  expect(new Set(drafts.map(({ symbol }) => symbol)).size).toBeLessThan(300)
  expect(new Set(drafts.map(({ id }) => id)).size).toBe(300)
  expect(new Set(drafts.map(({ address }) => address)).size).toBe(300)
  for (const { symbol, id } of drafts) {
    expect(symbol).toMatch(/^[A-Z]{2,5}$/)
    expect(id).toMatch(/^[1-9][0-9]{59,75}field$/)
  }
})
