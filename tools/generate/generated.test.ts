import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { GENERATED } from './generated.ts'

test.each(GENERATED)('$path matches the output of `npm run generate`', ({ path, text }) => {
  expect(readFileSync(projectPath(path), 'utf8')).toBe(text())
})
