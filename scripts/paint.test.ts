import { expect, test } from 'vitest'
import { paintFor } from './paint.ts'
import { messageText } from './terminal-text.ts'

const OUT_ONLY = { stdout: true, stderr: false, columns: () => 80 }

test.each([
  { env: {}, stream: 'stdout', isPainted: true },
  { env: {}, stream: 'stderr', isPainted: false },
  { env: { NO_COLOR: '1' }, stream: 'stdout', isPainted: false },
  { env: { NO_COLOR: '' }, stream: 'stdout', isPainted: true },
  { env: { FORCE_COLOR: '1' }, stream: 'stderr', isPainted: true },
  { env: { FORCE_COLOR: '' }, stream: 'stderr', isPainted: false },
  { env: { FORCE_COLOR: '0' }, stream: 'stdout', isPainted: false },
  { env: { FORCE_COLOR: 'false' }, stream: 'stdout', isPainted: false },
  { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, stream: 'stdout', isPainted: false },
] as const)('$env, $stream: $isPainted', ({ env, stream, isPainted }) => {
  const text = messageText(paintFor({ env, terminal: OUT_ONLY }, stream).red('x'))
  expect(text).toBe(isPainted ? '\u001b[31mx\u001b[39m' : 'x')
})
