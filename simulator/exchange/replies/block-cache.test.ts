import fastify from 'fastify'
import { expect, test } from 'vitest'
import { createBlockCache, oncePerBlock, perBlock } from './block-cache.ts'

test('serves cached responses of a block, until the next one; the first 64 URLs of each', async () => {
  let head = { height: 1, hash: 'a', timeMs: 0 }
  const responses = createBlockCache({ head: () => head })
  const app = fastify()
  let requested = 0
  app.get('/page', { preValidation: responses.serve }, (request) => {
    requested++
    responses.keep(request, [
      Buffer.from(`{"block":"${head.hash}",`),
      Buffer.from(`"requested":${requested}}`),
    ])
    return { made: requested }
  })
  const get = async (url: string) => (await app.inject(url)).json()

  expect([await get('/page?a'), await get('/page?a'), await get('/page?b')]).toEqual([
    { made: 1 },
    { block: 'a', requested: 1 },
    { made: 2 },
  ])
  head = { height: 1, hash: 'b', timeMs: 0 }
  expect([await get('/page?a'), await get('/page?a')]).toEqual([{ made: 3 }, { block: 'b', requested: 3 }])
  for (let page = 0; page < 63; page++) await get(`/page?${page}`)
  expect([await get('/page?last'), await get('/page?last')]).toEqual([{ made: 67 }, { made: 68 }])
  expect(await get('/page?62')).toEqual({ block: 'b', requested: 66 })
})

test('computes the value again only for another block, including one of the same height', () => {
  let head = { height: 1, hash: 'a', timeMs: 0 }
  let made = 0
  const value = oncePerBlock({ head: () => head }, () => ++made)
  expect([value(), value()]).toEqual([1, 1])
  head = { height: 1, hash: 'b', timeMs: 0 }
  expect([value(), value()]).toEqual([2, 2])
})

test('computes once for each pool, and again after a block', () => {
  let hash = 'first'
  const requested: string[] = []
  const getText = perBlock({ head: () => ({ height: 1, hash, timeMs: 0 }) }, ({ key }: { key: string }) => {
    requested.push(`${hash} ${key}`)
    return `${hash}/${key}`
  })
  const request = () => ['a', 'b', 'a'].map((key) => getText({ key }))
  expect([request(), request()]).toEqual(Array(2).fill(['first/a', 'first/b', 'first/a']))
  hash = 'second'
  expect(request()).toEqual(['second/a', 'second/b', 'second/a'])
  expect(requested).toEqual(['first a', 'first b', 'second a', 'second b'])
})
