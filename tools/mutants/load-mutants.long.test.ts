// Real loads: stub, k6, operation log, check. A sample of the mutants, drawn by the commit.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportSchema } from '../../contract/report.ts'
import { HISTORY_RULES } from '../../contract/rules/history.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import { LOAD_MUTANTS } from '../../simulator/mutants/mutants.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { sampleByTree, sampleNames } from '../test/tree-sample.ts'

const RUN_MS_MAX = { timeout: 240_000 }
const EXPIRES = 'history.ticket.expires'

test.each(sampleNames(CHOICE_SET_NAMES, 1))(
  'a correct stub passes every rule of histories, choices %s',
  RUN_MS_MAX,
  async (choices) => {
    const { rules, page } = await runLoad(['--duration', '10s', '--choices', choices])
    // No ticket expires in so short a load.
    const passed = Object.fromEntries(HISTORY_RULES.map(({ id }) => [id, 'pass']))
    expect(rules).toEqual({ ...passed, [EXPIRES]: 'skipped' })
    expect(page).not.toContain('<h2 id="histories">')
  },
)

test.each(sampleByTree(LOAD_MUTANTS, 1))(
  '$name is detected, and no other rule fails',
  RUN_MS_MAX,
  async ({ name, rules: broken }) => {
    const duration = broken.includes(EXPIRES) ? '110s' : '30s'
    const { exitCode, rules, page } = await runLoad(['--duration', duration, '--mutant', name])
    expect(Object.keys(rules).filter((id) => rules[id] === 'fail')).toEqual(broken)
    expect(exitCode).toBe(1)
    expect(page).toContain('<h2 id="histories">')
  },
)

async function runLoad(options: readonly string[]) {
  const cwd = temporaryFolder()
  const load = [
    'load',
    '--mix',
    'credentials',
    '--world',
    'tiny',
    '--rate',
    '18',
    '--warm-up',
    '1s',
    '--output',
    'out',
  ]
  const { exitCode } = await runCommandLine([...load, ...options], { cwd })
  const read = (name: string) => readFileSync(join(cwd, 'out', name), 'utf8')
  const report = reportSchema.parse(JSON.parse(read(RUN_FILES.reportJson)))
  const rules = Object.fromEntries(report.rules.map(({ id, verdict }) => [id, verdict]))
  return { exitCode, rules, page: read(RUN_FILES.reportHtml) }
}
