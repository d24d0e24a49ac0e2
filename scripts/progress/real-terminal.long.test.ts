// The real command's output on a real pseudo-terminal.
import { spawn } from 'node:child_process'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { findProgram, foundOrSkipped } from '../../tools/test/programs.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { terminalScreen } from '../../tools/test/written-io.ts'
import { projectPath } from '../project.ts'

const RUN_MS_MAX = 120_000
const PROBES = 'smoke --no-load --rules wire.body.*'

const python = foundOrSkipped(findProgram(['python3'], process.env), {
  what: 'python3',
  remedy: 'Install Python 3.9 or later.',
  env: process.env,
  tell: (text) => process.stderr.write(text),
})

test.runIf(python).each([{ columns: 40 }, { columns: 200 }])(
  'of $columns columns: the line of what is under way never wraps, and is gone at the end',
  { timeout: RUN_MS_MAX },
  async ({ columns }) => {
    const { exitCode, written } = await inTerminal(PROBES, { columns })
    expect(exitCode).toBe(0)
    const { lines, cleared } = terminalScreen(written)
    expect(cleared).toContain(
      columns > 60
        ? 'stub of world tiny, seed 7, choices default'
        : 'stub of world tiny, seed 7, choices de…',
    )
    expect(cleared).toContain('0 of 1 rules, 0 failed; 0 s of 300 s')
    for (const line of cleared) expect(stringWidth(line)).toBeLessThan(columns)
    expect([...lines.slice(0, 2), ...lines.slice(-4)]).toEqual([
      'pass: 1 of 1 rules judged and passed',
      'rules  pass  fail  inconclusive  skipped',
      'all       1     -             -        -',
      '',
      expect.stringMatching(/^Report: runs\/\S+$/),
      '',
    ])
    expect(written).toContain('\u001b[32m')
  },
)

test.runIf(python)('Ctrl-C leaves neither the status line nor ^C', { timeout: RUN_MS_MAX }, async () => {
  const { exitCode, written } = await inTerminal(PROBES, {
    columns: 80,
    interruptAt: ' rules, 0 failed',
    env: { NO_COLOR: '1' },
  })
  expect(exitCode).toBe(130)
  expect(written).not.toContain('\u001b[3')
  const { lines, cleared } = terminalScreen(written)
  expect(cleared.join('\n')).toMatch(/s of 300 s.*\^C/)
  expect(lines[0]).toBe('interrupted: writing the report; Ctrl-C again ends at once')
  expect(lines.join('\n')).not.toMatch(/\^C|s of 300 s/)
})

test.runIf(python)('a dumb terminal gets lines, and no control characters', async () => {
  const { written } = await inTerminal('chain --world tiny --blocks 500', {
    columns: 80,
    env: { TERM: 'dumb' },
  })
  expect(written).toContain('events sha256')
  expect(written).not.toContain('\u001b')
})

function inTerminal(
  line: string,
  { columns, interruptAt = '', env = {} }: { columns: number; interruptAt?: string; env?: NodeJS.ProcessEnv },
): Promise<{ exitCode: number | null; written: string }> {
  const command = [process.execPath, projectPath('scripts/breakwater.mjs'), ...line.split(' ')]
  const script = projectPath('tools/test/run-in-terminal.py')
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...rest } = process.env
  const child = spawn(python ?? '', [script, String(columns), interruptAt, ...command], {
    cwd: temporaryFolder(),
    env: { ...rest, TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written += text
  })
  return new Promise((done) => child.on('close', (exitCode) => done({ exitCode, written })))
}
