import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { loadWorldFixture } from '../world-fixture.ts'
import { draftRandomToken } from './token-draft.ts'

const { tokens } = loadWorldFixture('tiny')

test('names come from the stream alone', () => {
  const names = (seed: number) => {
    const stream = createRandom(seed).stream('names')
    return Array.from({ length: 5 }, () => draftRandomToken(stream, tokens).name)
  }
  expect(names(1)).toEqual(names(1))
  expect(names(1)).not.toEqual(names(2))
})

test('two tokens of one name still differ in id and address', () => {
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
