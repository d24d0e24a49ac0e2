import { expect, test } from 'vitest'
import { TARGET_CHECK, targetProblemIn } from './target-check.ts'

test('what a runner says against its target is one line of its log', () => {
  const line = `test aborted: ${TARGET_CHECK.says}http://stub:8080: GET /health -> no answer`
  expect(targetProblemIn(`said before\n${line}\nsaid after\n`)).toBe(
    'http://stub:8080: GET /health -> no answer',
  )
  expect(targetProblemIn('test aborted: by the user\n')).toBeUndefined()
})
