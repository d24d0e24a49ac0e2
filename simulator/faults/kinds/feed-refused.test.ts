import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { UPGRADE } from '../../gateway/test-upgrade.ts'
import { connectRaw, lastAnswer } from '../../http/test-raw-peer.ts'
import { faultPlanSchema } from '../fault-plan.ts'

const fault = 'feed-refused'

async function upgrade(port: number) {
  const peer = await connectRaw(port)
  peer.write(UPGRADE)
  return peer
}

test.each([
  [{}, 503, 'the feed is in trouble', undefined],
  [{ status: 429, retryAfterSeconds: 7 }, 429, 'too many connections', '7'],
])('with %j an upgrade is answered with %i', async (options, status, error, retryAfter) => {
  const bed = await createTestBed()
  bed.inject({ fault, ...options })
  const answer = await lastAnswer(await upgrade(bed.port))
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body)).toEqual({ error, code: 'injected_fault', ref: null })
  expect(/^retry-after: (.*)$/im.exec(answer.head)?.[1]).toBe(retryAfter)
  expect(bed.gateway.sockets()).toEqual([])
})

test('refuses those that it acts on, by number and by program; sockets that are open stay', async () => {
  const bed = await createTestBed()
  const client = await bed.join('pool_launches')
  bed.inject({ fault, when: { every: 2 }, where: { userAgents: ['bot/*'] } })
  const refused: string[] = []
  for (const userAgent of ['bot/1', 'page', 'bot/1', 'bot/2']) {
    await bed.connect({ userAgent }).catch(() => refused.push(userAgent))
  }
  expect(refused).toEqual(['bot/1'])
  expect(bed.decisions()).toEqual(['upgrade 2', 'upgrade 4!', 'upgrade 5'])
  bed.emit({ launches: bed.pools.slice(0, 1) })
  expect(await client.synchronize()).toHaveLength(1)
})

test('knows two statuses', () => {
  const plan = { description: 'of a test', faults: [{ fault, status: 500 }] }
  expect(faultPlanSchema.safeParse(plan).error?.issues).toMatchObject([{ path: ['faults', 0, 'status'] }])
})
