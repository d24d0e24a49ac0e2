// Runs the command against servers that are not an exchange; `npm run nightly` runs all of them.
import { expect, test } from 'vitest'
import { runAgainstHostile } from './at-length.ts'
import { EMPTY_RESPONSES, HOSTILITIES } from './hostile-server.ts'

const RUN_MS_MAX = 120_000

test.each([
  'a page for everything',
  'a redirect elsewhere',
  'not found as JSON',
  'half a response',
  'reset',
] as const)(
  'a server of %s: no rule fails, and the cause is reported',
  { timeout: RUN_MS_MAX },
  async (name) => {
    expect(await runAgainstHostile(HOSTILITIES[name])).toEqual([])
  },
)

test('a server that returns an empty object for everything breaks rules, but crashes no probe', {
  timeout: RUN_MS_MAX,
}, async () => {
  // The other rules wait for events that never come.
  const rules = 'paging.*,route.*,protocol.*,auth.*,api-token.*,faucet.*,ws.*'
  const wrong = await runAgainstHostile(EMPTY_RESPONSES['an empty object'], { rules })
  expect(wrong.length).toBeGreaterThan(5)
  expect(wrong.filter((line) => !line.startsWith('fail '))).toEqual(['exit code 1'])
})
