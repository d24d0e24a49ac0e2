import { expect, test } from 'vitest'
import type { Failure } from './verdict.ts'
import { withLog } from './with-log.ts'

const FAILURE: Failure = {
  kind: 'failed',
  sentence: 'runners 1 and 3: k6 ended with exit code 108: the script called test.abort()',
  hint: 'The log tells more.',
  whose: 'runner',
  runner: 1,
}

test('a target that does not serve is the target’s', () => {
  const log = `something before
test aborted: the target does not serve the load: http://stub:8080: GET /tokens: answered 404\u001b[2J
after`
  expect(withLog(FAILURE, log)).toEqual({
    kind: 'failed',
    sentence:
      'runners 1 and 3: the target does not serve the load: http://stub:8080: GET /tokens: answered 404\\u001b[2J',
    hint: expect.stringContaining('from within the cluster'),
    whose: 'target',
    runner: 1,
  })
})

test.each([
  [
    'time="2026-11-22T11:01:08Z" level=error msg="unknown flag: --no-such-option \\"x\\""\n',
    'unknown flag: --no-such-option "x"',
  ],
  ['Error: no such thing\n\tat file:///test/script.js:5:36(42)\n\n', 'Error: no such thing'],
  [
    'failed to handle the end-of-test summary\nopen /nowhere/x: no such file or directory\n',
    'open /nowhere/x: no such file or directory',
  ],
  [
    '    vus: 0   min=0\n\n\ntest aborted: enough at default (file:///test/script.js:11:47(56))',
    'test aborted: enough at default (file:///test/script.js:11:47(56))',
  ],
])('the last that k6 said is added: %j', (log, words) => {
  expect(withLog(FAILURE, log)).toEqual({ ...FAILURE, sentence: `${FAILURE.sentence}; it said: ${words}` })
})

test('a log that says nothing adds nothing, nor does any where the cluster ended the runner', () => {
  expect(withLog(FAILURE, '\n  \n')).toEqual(FAILURE)
  const killed: Failure = { ...FAILURE, sentence: 'runner 1: killed (exit code 137)', whose: 'cluster' }
  expect(withLog(killed, 'a line\n')).toEqual(killed)
})
