import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateGate } from '../../../client/retry-wait.ts'
import { testTools } from '../../../client/test-tools.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { createPatience, GaveUp, type RetryTraits } from './patient.ts'
import type { Reply } from './reply.ts'

/** A mock server with scripted responses, then 200; records the request times. */
function server(statuses: readonly number[], retryAfter?: string) {
  const { tools, nowMs, run } = testTools()
  const sentMs: number[] = []
  const once = async () => {
    sentMs.push(nowMs())
    const status = statuses[sentMs.length - 1] ?? 200
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    return { status, headers, contentType: 'application/json', evidence: () => String(status) } as Reply // as: the only parts used
  }
  return { tools, sentMs, once, run }
}

const READ: RetryTraits = { method: 'GET' }
const WRITE: RetryTraits = { method: 'POST' }

test.each<[string, RetryTraits, readonly number[], string]>([
  ['a 429 is waited for', WRITE, [429], '200 after 2'],
  ['a 5xx of a read passes', READ, [500, 502, 503], '200 after 4'],
  ['so does silence', READ, [0, 0], '200 after 3'],
  ['a write that may have been done is not done twice', WRITE, [500], 'gave up after 1'],
  ['nor after silence', WRITE, [0], 'gave up after 1'],
  ['unless it does no harm', { ...WRITE, repeatable: true }, [500, 0], '200 after 3'],
  ['there are four tries', READ, [500, 500, 500, 500], 'gave up after 4'],
  ['and three silences', READ, [0, 0, 0], 'gave up after 3'],
  ['a provoked status is a response', { ...READ, provokes: [503] }, [503], '503 after 1'],
  ['a refusal is one too', READ, [403], '403 after 1'],
])('%s', async (_, traits, statuses, expected) => {
  const { tools, sentMs: times, once, run } = server(statuses)
  const outcome = createPatience(tools)(traits, once).then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof CannotJudge ? 'gave up' : String(error)),
  )
  await run()
  expect(`${await outcome} after ${times.length}`).toBe(expected)
})

test('gives up if Retry-After exceeds 30 seconds', async () => {
  const { tools, once } = server([429], '31')
  await expect(createPatience(tools)(READ, once)).rejects.toThrow('Retry-After is 31 s')
})

test('no request of the client is sent before Retry-After is over', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.constantFrom(200, 429, 500, 503), { maxLength: 6 }),
      fc.array(fc.nat(5000), { minLength: 1, maxLength: 5 }),
      async (seconds, statuses, startsMs) => {
        const { tools, sentMs, once, run } = server(statuses, String(seconds))
        const patiently = createPatience(tools, createRateGate(tools))
        for (const ms of startsMs) tools.after(ms, () => void patiently(READ, once).catch(() => undefined))
        await run()
        const refusedAt = sentMs.filter((_, index) => statuses[index] === 429)
        const early = refusedAt.flatMap((atMs) =>
          sentMs.filter((otherMs) => otherMs > atMs && otherMs < atMs + seconds * 1000),
        )
        expect(early).toEqual([])
      },
    ),
  )
})

test.each([
  { status: 200, contentType: 'text/html', isLookedInto: true, why: 'an HTML page may be transient' },
  { status: 302, contentType: 'text/html', isLookedInto: false, why: 'a redirect does not' },
])('a response from another server does not count: $why', async ({ status, contentType, isLookedInto }) => {
  const { tools } = server([])
  const reply = { status, contentType, headers: {}, text: '', evidence: () => '' } as unknown as Reply // as: the only parts used
  const error: unknown = await createPatience(tools)(READ, async () => reply).catch(
    (thrown: unknown) => thrown,
  )
  expect([error instanceof CannotJudge, error instanceof GaveUp]).toEqual([true, isLookedInto])
})

test('counts one attempt in the singular', async () => {
  const { tools } = server([])
  const reply = { status: 502, headers: {}, evidence: () => '-> 502' } as unknown as Reply // as: the only parts used
  const post = createPatience(tools)({ method: 'POST' }, async () => reply)
  await expect(post).rejects.toThrow('after 1 attempt: -> 502')
})
