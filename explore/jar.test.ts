import { expect, test } from 'vitest'
import { createJar, performWith } from './jar.ts'
import type { ExploreTarget, Reply } from './target.ts'

const reply = (status: number, more: Partial<Reply> = {}): Reply => ({
  status,
  body: null,
  cookies: {},
  ...more,
})

/** Returns the outcome of a read, and how long was waited for each further try. */
async function readFrom(replies: readonly Reply[], witness = 200) {
  const waits: number[] = []
  let tried = 0
  const target: Pick<ExploreTarget, 'request' | 'pass'> = {
    request: async ({ path }) => (path === '/tokens' ? reply(witness) : (replies[tried++] ?? reply(503))),
    pass: async (ms) => void waits.push(ms),
  }
  // as: nothing else of it is used
  const requester = { target: target as ExploreTarget, jar: createJar() }
  const outcome = await performWith(undefined, requester, { method: 'GET', path: '/pools' })
  return { status: outcome?.status, isPersistent: outcome?.isPersistent ?? false, waits }
}

test('an error counts as persistent only after five tries in five seconds, while other requests are served', async () => {
  expect(await readFrom([])).toEqual({ status: 503, isPersistent: true, waits: [100, 400, 1500, 3500] })
  expect(await readFrom([], 503)).toMatchObject({ status: 503, isPersistent: false })
  const passing = [503, 0, 500, 502, 200].map((status) => reply(status))
  expect(await readFrom(passing)).toEqual({ status: 200, isPersistent: false, waits: [100, 400, 1500, 3500] })
})

test('waits as Retry-After requires, but not for long', async () => {
  const replies = [reply(503, { retryAfterMs: 2000 }), reply(503, { retryAfterMs: 60_000 }), reply(200)]
  expect(await readFrom(replies)).toEqual({ status: 200, isPersistent: false, waits: [2000, 10_000] })
})
