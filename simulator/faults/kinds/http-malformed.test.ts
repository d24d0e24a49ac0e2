import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test.each([
  { as: 'cut-json', status: 200, says: /^\{"data":\{"[^}]*$/, type: 'application/json; charset=utf-8' },
  { as: 'html-page', status: 200, says: /<h1>200 OK<\/h1>/, type: 'text/html; charset=utf-8' },
  { as: 'text-type', status: 200, says: /^\{"data".*\}$/, type: 'text/plain; charset=utf-8' },
  { as: 'empty', status: 200, says: /^$/, type: 'application/json; charset=utf-8' },
  { as: 'null', status: 200, says: /^null$/, type: 'application/json; charset=utf-8' },
  { as: 'garbage', status: 200, says: /^\0\ufffd\{"data".*\}$/, type: 'application/json; charset=utf-8' },
])('$as', async ({ as, status, says, type }) => {
  const { ask } = await createFaultyExchange([{ fault: 'http-malformed', as }])
  const answer = await ask('/protocol/state')
  expect(answer).toMatchObject({
    statusCode: status,
    headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(answer.body)) },
  })
  expect(answer.body).toMatch(says)
})

test.each([
  { of: 'successes', spoiled: [true, false] },
  { of: 'errors', spoiled: [false, true] },
  { of: 'any', spoiled: [true, true] },
])('of $of alone', async ({ of, spoiled }) => {
  const { ask } = await createFaultyExchange([{ fault: 'http-malformed', of, as: 'html-page' }])
  const answers = [await ask('/protocol/state'), await ask('/pools/unknown')]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404])
  expect(answers.map(({ body }) => body.startsWith('<html>'))).toEqual(spoiled)
})
