import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

test.each([
  {
    argv: ['run', 'reconect-storm'],
    says: /unknown case "reconect-storm"\n {2}Did you mean reconnect-storm, /,
  },
  { argv: ['show', 'nowhere.json'], says: /nowhere\.json: cannot be read: .*\n {2}Expected a case there/ },
  {
    argv: ['run', './bad.json'],
    says: /\.\/bad\.json: not a valid case:\n {2}title: missing; .*\n {2}rules\[0\]: no rule of the exchange is named "auth.no-such"; did you mean .*\n {2}stub\.seed: .*\n {2}wrong: unknown key/,
  },
  { argv: ['run', './no-scenario.json'], says: /scenario: unknown scenario "nowhere"\n {2}Did you mean / },
  { argv: ['run', './no-plan.json'], says: /^breakwater: no-plan: faults: unknown fault plan "nowhere"/ },
  {
    argv: ['run', './no-mutant.json'],
    says: /^breakwater: no-mutant: stub\.mutant: unknown mutant "nowhere"/,
  },
  {
    argv: ['run', './no-world.json'],
    says: /^breakwater: no-world: stub\.world: unknown world "nowhere"/,
  },
  {
    argv: ['run', 'slow-consumer', '--mutant', 'x', '--target', 'y'],
    says: /--mutant applies only to the stub/,
  },
  { argv: ['run', 'slow-consumer', '--confirm', 'x'], says: /--confirm requires --target/ },
  { argv: ['lst'], says: /unknown command "lst"\n {2}Expected list, show or run\. To run a case: / },
  { argv: [], says: /repro: expected a command\n/ },
  { argv: ['--run', 'x'], says: /--run requires --save/ },
  {
    argv: ['list', '--save', 'x'],
    says: /repro list: --save cannot be used with a command\n {2}To save a case: /,
  },
  {
    argv: ['show', 'slow-consumer', '--run', 'x'],
    says: /repro show: --run cannot be used with a command\n/,
  },
  {
    argv: ['run', './hunt.json'],
    says: /^breakwater: \.\/hunt\.json: is a case of `hunt`, not of `repro`\n {2}Run it with your client: `breakwater repro run \.\/hunt\.json --client COMMAND`\.\n$/,
  },
  {
    argv: ['run', './explore.json'],
    says: /is a case of `explore`, not of `repro`\n {2}Run it with `breakwater explore --case \.\/explore\.json`\.\n$/,
  },
  {
    argv: ['run', './no-plan.json', '--client', 'x'],
    says: /is a case of `repro`, not of `hunt`\n {2}Run it with `breakwater repro run \.\/no-plan\.json`, without --client\.\n$/,
  },
])('rejects `breakwater repro $argv` with one message', async ({ argv, says }) => {
  const cwd = temporaryFolder()
  const good = { title: 'Mine', story: 'It failed.', rules: ['wire.body.json'] }
  const files = {
    'hunt.json': { specification: '1', finding: {}, world: {}, schedule: null },
    'explore.json': { specification: '1', finding: {}, stub: null, sequence: [] },
    'bad.json': { story: 'x', rules: ['auth.no-such'], stub: { seed: -1 }, wrong: 1 },
    'no-scenario.json': { ...good, scenario: 'nowhere' },
    'no-plan.json': { ...good, faults: 'nowhere' },
    'no-mutant.json': { ...good, stub: { mutant: 'nowhere' } },
    'no-world.json': { ...good, stub: { world: 'nowhere' } },
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), JSON.stringify(content))
  const { exitCode, stdout, stderr } = await runCommandLine(['repro', ...argv], { cwd })
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
})
