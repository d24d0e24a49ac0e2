import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { readCases } from './case-files.ts'

test('reads all cases of a folder except those of an exploration', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'explore-auth-csrf-0a1b2c3d.json'), '{"sequence":[]}')
  expect(await readCases(folder, 'cases')).toEqual([])
  writeFileSync(join(folder, 'secrets-not-in-urls-0a1b2c3d.json'), '{"sequence":[]}')
  await expect(readCases(folder, 'cases')).rejects.toThrow(/^cases\/secrets-not-in-urls-0a1b2c3d\.json: /)
})
