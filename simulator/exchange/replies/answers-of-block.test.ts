import fastify from 'fastify'
import { expect, test } from 'vitest'
import { createAnswersOfBlock } from './answers-of-block.ts'

test('serves what was kept of a block, until the next one; the first 64 URLs of each', async () => {
  let head = { height: 1, hash: 'a', timeMs: 0 }
  const answers = createAnswersOfBlock({ head: () => head })
  const app = fastify()
  let asked = 0
  app.get('/page', { preValidation: answers.serve }, (request) => {
    asked++
    answers.keep(request, [Buffer.from(`{"block":"${head.hash}",`), Buffer.from(`"asked":${asked}}`)])
    return { made: asked }
  })
  const get = async (url: string) => (await app.inject(url)).json()

  expect([await get('/page?a'), await get('/page?a'), await get('/page?b')]).toEqual([
    { made: 1 },
    { block: 'a', asked: 1 },
    { made: 2 },
  ])
  head = { height: 1, hash: 'b', timeMs: 0 }
  expect([await get('/page?a'), await get('/page?a')]).toEqual([{ made: 3 }, { block: 'b', asked: 3 }])
  for (let page = 0; page < 63; page++) await get(`/page?${page}`)
  expect([await get('/page?last'), await get('/page?last')]).toEqual([{ made: 67 }, { made: 68 }])
  expect(await get('/page?62')).toEqual({ block: 'b', asked: 66 })
})
