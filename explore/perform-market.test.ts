import { expect, test } from 'vitest'
import { choicesSchema } from '../contract/profile.ts'
import { createJar } from './jar.ts'
import { MARKET_COMMANDS } from './perform-market.ts'
import type { ExploreTarget } from './target.ts'

const ROW = { key: 'k', token0: 'a', token1: 'b', enabled: true }

test.each([
  ['is still listed', [ROW], 404],
  ['left the list', [], undefined],
])('a 404 for a pool that %s', async (_, later, status) => {
  let rows = [ROW]
  const target: Partial<ExploreTarget> = {
    profile: { choices: choicesSchema.parse({}) } as ExploreTarget['profile'], // as: nothing else of it is read
    nowMs: () => 0,
    async request({ path }) {
      const isRead = path === '/pools/k'
      // The pool goes once the catalog is known.
      if (isRead) rows = later
      const body = { data: rows, pagination: { total: rows.length } }
      return { status: isRead ? 404 : 200, body, cookies: {} }
    },
  }
  const requester = { target: target as ExploreTarget, jar: createJar() } // as: the only part used
  const outcome = await MARKET_COMMANDS['read-pool']({ do: 'read-pool', pool: 0 }, requester)
  expect(outcome?.status).toBe(status)
})
