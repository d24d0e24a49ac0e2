import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { questionCollector } from './ask-collector.ts'

test.each([
  {
    what: 'of an API server',
    said: '{"kind":"Status","message":"pods \\"a\\" not found"}',
    told: 'pods "a" not found',
  },
  { what: 'of a collector', said: '{"error":"the token is another"}', told: 'the token is another' },
  { what: 'in JSON of somebody else', said: '{"code":7}', told: '{"code":7}' },
  { what: 'that are null', said: 'null', told: 'null' },
  { what: 'of anybody', said: '<h1>Not here</h1>\n', told: '<h1>Not here</h1>' },
])('the words $what are told, without what is around them', async ({ said, told }) => {
  const request = async () => ({ status: 404, headers: {}, body: Readable.from([said]) })
  expect(await questionCollector({ request }, '/files', async () => 0)).toEqual({
    problem: { text: `/files: answered 404: ${told}`, passes: false },
  })
})
