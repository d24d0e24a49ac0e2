// Real runs against a stub whose gateway restarts repeatedly while probes have open sockets.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportSchema } from '../../contract/report.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { IN_FULL } from '../../tools/test/tree-sample.ts'

/** Only for a while: each WebSocket probe meets one restart and then has enough time. */
const RESTARTS = {
  fault: 'ws-close',
  everyMs: IN_FULL ? 3000 : 2000,
  when: { forMs: IN_FULL ? 12_000 : 6000 },
}
const SHORT = 'ws.sync.*,ws.frame.*,ws.rooms.*,ws.ticket.by-*'
const RULES = IN_FULL ? `${SHORT},ws.auth.*,ws.event.*` : SHORT

test('probes that a restart interrupts retry on a new socket', { timeout: 180_000 }, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd, {
    faults: faultPlanSchema.parse({ description: 'restarts', faults: [RESTARTS] }),
  })
  given.writeProfile({ more: { control: null } })
  const argv = ['smoke', '--no-load', '--target', 'profile.json', '--output', 'run', '--rules', RULES]
  const env = { ...process.env, BREAKWATER_API_TOKENS: '', BREAKWATER_CONTROL_TOKEN: '' }
  await runCommandLine(argv, { cwd, env })
  const report = reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'run/report.json'), 'utf8')))
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
})
