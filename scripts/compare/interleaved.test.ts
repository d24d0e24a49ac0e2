import { expect, test } from 'vitest'
import { interleaved } from './interleaved.ts'

test('each side comes as often, and each first in every other pair', () => {
  const told = (repeat: number) => interleaved(repeat).map(({ side, number }) => `${side}${number}`)
  expect(told(1)).toEqual(['a1', 'b1'])
  expect(told(5)).toEqual(['a1', 'b1', 'b2', 'a2', 'a3', 'b3', 'b4', 'a4', 'a5', 'b5'])
})
