import fastify from 'fastify'
import { expect, test } from 'vitest'
import { plain } from '../../choices/plain.ts'
import { type Alteration, alterAnswers } from './alter-answers.ts'

const pools: Alteration = {
  routes: ['GET /pools/:key'],
  alter: ({ body, reply }) => {
    reply.header('x-altered', 'yes')
    return { ...body, data: 'altered' }
  },
}

async function served(path: string, mutant: 'wire-fee-number' | null, alteration = pools) {
  const app = fastify()
  alterAnswers(app, { mutant, choices: plain, alterations: { 'wire-fee-number': alteration } })
  app.get('/pools', () => ({ data: 'list' }))
  app.get('/pools/:key', (_, reply) => reply.type('application/json').send(Buffer.from('{"data":"one"}')))
  app.get('/refused', (_, reply) => reply.code(404).send({ error: 'not here' }))
  app.get('/text', () => 'no JSON')
  const { body, headers } = await app.inject(path)
  return { body, length: Number(headers['content-length']) }
}

test.each<{ path: string; body: string }>([
  { path: '/pools/a', body: '{"data":"altered"}' },
  { path: '/pools', body: '{"data":"list"}' },
  { path: '/refused', body: '{"error":"not here"}' },
  { path: '/text', body: 'no JSON' },
])('alters successful JSON of its routes alone: $path', async ({ path, body }) => {
  expect(await served(path, 'wire-fee-number')).toEqual({ body, length: body.length })
})

test('alters the statuses that it names', async () => {
  const refusals: Alteration = { statuses: (status) => status === 404, alter: () => 'gone' }
  expect((await served('/refused', 'wire-fee-number', refusals)).body).toBe('gone')
})

test('alters nothing of the stub as it is', async () => {
  expect((await served('/pools/a', null)).body).toBe('{"data":"one"}')
})
