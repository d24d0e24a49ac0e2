import { expect, it } from 'vitest'
import { createTestBed } from '../test-bed.ts'

it('writes one JSON line a request, with the route in place of the path', async () => {
  const bed = await createTestBed()
  bed.clock.advance(1500)
  await bed.call('/pools/some-key?x=y')
  expect(bed.logLines.map((line) => JSON.parse(line))).toEqual([
    {
      time: '2025-01-01T00:00:01.500Z',
      ref: 'r0000001',
      method: 'GET',
      route: '/pools/:key',
      status: 404,
      code: 'pool_not_found',
    },
  ])
})

it('never holds a secret, wherever a client puts it, nor does an answer but the one that issued it', async () => {
  const bed = await createTestBed()
  const me = await bed.signIn()
  const created = await bed.call('/api-tokens', { ...me, method: 'POST', body: { name: 'bot' } })
  const token: string = created.json().data.token
  const ticket: string = (await bed.call('/auth/ws-ticket', me)).json().data.ticket
  const refreshed = await bed.call('/auth/refresh', { method: 'POST', cookies: me.cookies })
  const secrets = [
    token,
    ticket,
    me.csrfToken,
    ...Object.values(me.cookies),
    ...refreshed.cookies.map(({ value }) => value),
  ]
  for (const secret of secrets) {
    const answers = [
      await bed.call(`/pools?limit=${secret}`),
      await bed.call(`/pools/${secret}`),
      await bed.call(`/${secret}`),
      await bed.call(`/api-tokens/${secret}`, { ...me, method: 'DELETE' }),
      await bed.call('/auth/challenge', { method: 'POST', body: { address: { secret } } }),
      await bed.call('/auth/challenge', { method: 'POST', body: { [secret]: secret } }),
      await bed.call('/swaps', { headers: { authorization: `Bearer ${secret}x` } }),
      await bed.call('/swaps', { headers: { authorization: secret } }),
      await bed.call('/auth/refresh', { method: 'POST', cookies: { refresh: `${secret}.${secret}` } }),
      await bed.call('/referral/redeem', { ...me, method: 'POST', body: { code: secret } }),
    ]
    await bed.call('/swaps', { headers: { authorization: `Bearer ${secret}` } })
    for (const { statusCode, headers, body } of answers) {
      expect(statusCode).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(headers) + body).not.toContain(secret)
    }
  }
  const log = bed.logLines.join('\n')
  expect(bed.logLines.length).toBeGreaterThan(10 * secrets.length)
  for (const secret of secrets) expect(log).not.toContain(secret)
})
