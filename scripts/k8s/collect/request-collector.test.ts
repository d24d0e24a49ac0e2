import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { requestCollector } from './request-collector.ts'

test.each([
  {
    what: 'of an API server',
    said: '{"kind":"Status","message":"pods \\"a\\" not found"}',
    expected: 'pods "a" not found',
  },
  { what: 'of a collector', said: '{"error":"the token is another"}', expected: 'the token is another' },
  { what: 'of another server, as JSON', said: '{"code":7}', expected: '{"code":7}' },
  { what: 'of null', said: 'null', expected: 'null' },
  { what: 'of any server', said: '<h1>Not here</h1>\n', expected: '<h1>Not here</h1>' },
])('extracts the error $what', async ({ said, expected }) => {
  const request = async () => ({ status: 404, headers: {}, body: Readable.from([said]) })
  expect(await requestCollector({ request }, '/files', async () => 0)).toEqual({
    problem: { text: `/files: returned 404: ${expected}`, passes: false },
  })
})
