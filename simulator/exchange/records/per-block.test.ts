import { expect, test } from 'vitest'
import { perBlock } from './per-block.ts'

test('asks once for each pool, and again after a block', () => {
  let hash = 'first'
  const asked: string[] = []
  const sizeOf = perBlock({ head: () => ({ height: 1, hash, timeMs: 0 }) }, ({ key }: { key: string }) => {
    asked.push(`${hash} ${key}`)
    return `${hash}/${key}`
  })
  const ask = () => ['a', 'b', 'a'].map((key) => sizeOf({ key }))
  expect([ask(), ask()]).toEqual(Array(2).fill(['first/a', 'first/b', 'first/a']))
  hash = 'second'
  expect(ask()).toEqual(['second/a', 'second/b', 'second/a'])
  expect(asked).toEqual(['first a', 'first b', 'second a', 'second b'])
})
