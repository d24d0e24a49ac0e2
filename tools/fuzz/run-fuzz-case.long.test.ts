import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { makeExamples } from './examples.ts'
import { asIs, type FuzzCase } from './fuzz-case.ts'
import { HEALTHY_SERVER, type Misbehavior } from './misbehaviors.ts'
import { openCommands, runFuzzCase } from './run-fuzz-case.ts'

const commands = openCommands()
afterAll(commands.close)

const CASE: FuzzCase = {
  kind: 'a test',
  argv: ['runs', 'list'],
  entries: [],
  server: null,
  writes: [],
  isServer: false,
  inProcess: false,
  needsK6: false,
  endsWithinMs: 60_000,
}

async function run(more: Partial<FuzzCase>) {
  const root = join(temporaryFolder(), 'case')
  const { violations, end } = await runFuzzCase({ ...CASE, ...more }, { root, commands, keep: true })
  const { outcome } = JSON.parse(readFileSync(join(root, 'case.json'), 'utf8'))
  return { checks: violations.map(({ check }) => check), end, outcome }
}

const STUB = ['stub', '--port', '0', '--feed-port', '0', '--control-port', '0']

test.each([
  { what: 'a command that writes nothing', more: {}, checks: [], end: '0' },
  { what: 'the same in a separate process', more: { inProcess: true }, checks: [], end: '0' },
  {
    what: 'a file that it may not write',
    more: { argv: ['init', 'mix', 'm'] },
    checks: ['no stray file'],
    end: '0',
  },
  {
    what: 'a file that it may write',
    more: { argv: ['init', 'mix', 'm'], writes: ['*.jsonc'] },
    checks: [],
    end: '0',
  },
  { what: 'a server that gets SIGTERM', more: { argv: STUB, isServer: true }, checks: [], end: '0' },
  {
    what: 'a server that does not',
    more: { argv: STUB, endsWithinMs: 500 },
    checks: ['ends in time'],
    end: 'late',
  },
  {
    what: 'the same in a separate process',
    more: { argv: STUB, endsWithinMs: 500, inProcess: true },
    checks: ['ends in time'],
    end: 'late',
  },
])('sees $what', async ({ more, checks, end }) => {
  expect(await run(more)).toMatchObject({ checks, end })
})

test.each([false, true])(
  'what a live view shows is output, with a process of its own: %s',
  async (inProcess) => {
    const { runs } = await makeExamples()
    const entries = runs.repro.map(({ path, text }) => asIs({ path: `run/${path}`, text }))
    const argv = ['report', 'run', '--live']
    const { checks, end, outcome } = await run({ argv, entries, isServer: true, inProcess })
    expect({ checks, end }).toEqual({ checks: [], end: '0' })
    expect(outcome.stdout).toMatch(/^Live view: http:.*\nThe run has ended: /)
  },
)

test('a command reaches a server that responds correctly, or as planned', async () => {
  const argv = ['faults', 'list', '--control', '{CONTROL}']
  const served = (control: Misbehavior) => run({ argv, server: { ...HEALTHY_SERVER, control: [control] } })
  expect((await served({ does: 'nothing' })).outcome.stdout).toBe('no fault is active\n')
  const bytes = Buffer.from('HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n')
  expect((await served({ does: 'send', bytes, after: 'end' })).outcome.stderr).toContain('returned 418')
  expect((await served({ does: 'cut', share: 0.1, slowly: false })).outcome.stderr).toContain('no response')
})
