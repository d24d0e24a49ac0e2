// Real runs of the command against servers that are no exchange; `npm run nightly` tries them all.
import { expect, test } from 'vitest'
import { runAgainstHostile } from './at-length.ts'
import { EMPTINESSES, HOSTILITIES } from './hostile-server.ts'

const RUN_MS_MAX = 120_000

test.each([
  'a page for all',
  'a redirect elsewhere',
  'not found as JSON',
  'half an answer',
  'reset',
] as const)(
  'a server of %s: nothing is held against it, and the cause is told',
  { timeout: RUN_MS_MAX },
  async (name) => {
    expect(await runAgainstHostile(HOSTILITIES[name])).toEqual([])
  },
)

test('a server of an empty object for all breaks rules, and no probe', { timeout: RUN_MS_MAX }, async () => {
  // Others wait until something comes that never will.
  const rules = 'paging.*,route.*,protocol.*,auth.*,api-token.*,faucet.*,ws.*'
  const wrong = await runAgainstHostile(EMPTINESSES['an empty object'], { rules })
  expect(wrong.length).toBeGreaterThan(5)
  expect(wrong.filter((line) => !line.startsWith('fail '))).toEqual(['exit code 1'])
})
