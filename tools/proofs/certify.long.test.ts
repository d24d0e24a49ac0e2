// Each wrong client fails the rules that it breaks, and no other, in the fixed schedules of `certify`.
import { expect, test } from 'vitest'
import { examine } from '../../hunt/examination.ts'
import { createInProcessRunner } from '../../hunt/run-in-process.ts'
import { huntWorldSchema } from '../../hunt/schedule.ts'
import { WRONG_CLIENTS } from '../clients/wrong-clients.ts'
import { huntedClient } from './hunt.ts'

/** The schedules have more situations than the scene that a wrong client was made for. */
const BREAKS_ALSO: Readonly<Record<string, readonly string[]>> = {
  'never-gives-up': ['client.429.waits', 'client.config.retries-pending'],
  'loops-on-pending': ['client.429.waits', 'client.5xx.bounded', 'client.5xx.backs-off'],
  'keeps-refused-credential': ['client.403.stops'],
}

const cases = Object.entries(WRONG_CLIENTS).map(([name, client]) => ({ name, ...client }))

test.each(cases)('$name: a client that $wrong', { timeout: 300_000 }, async ({ name, breaks, ...client }) => {
  const runs = await examine({
    run: createInProcessRunner(huntedClient(client)),
    world: huntWorldSchema.parse({ choices: client.scene === 'alternative' ? client.scene : 'default' }),
  })
  const failed = runs.flatMap(({ duties }) => duties.filter(({ violations }) => violations > 0))
  expect(new Set(failed.map(({ rule }) => rule))).toEqual(new Set([...breaks, ...(BREAKS_ALSO[name] ?? [])]))
})
