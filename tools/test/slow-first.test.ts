import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { SLOW_FILES } from './slow-first.ts'

test('names files that exist', () => {
  expect(SLOW_FILES.filter((file) => !existsSync(projectPath(file)))).toEqual([])
})
