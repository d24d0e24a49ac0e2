import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { loadArrivals } from './load-arrivals.ts'

const HINT = 'A recorded timeline has one arrival per line, in seconds and in order, such as 12.5.'

test('arrivals are even, poisson, or a recorded timeline whose content is part of its name', async () => {
  const folder = temporaryFolder()
  expect(await loadArrivals('even', folder)).toEqual({ kind: 'even', file: null, name: 'even' })
  expect(await loadArrivals('poisson', folder)).toEqual({ kind: 'poisson', file: null, name: 'poisson' })
  const file = path.join(folder, 'busy.txt')
  writeFileSync(file, '# a minute\n0\n0.25\n\n0.25\n61\n')
  const loaded = await loadArrivals('busy.txt', folder)
  expect(loaded).toEqual({ kind: 'trace', file, name: expect.stringMatching(/^busy\.txt [0-9a-f]{8}$/) })
  writeFileSync(file, '0\n61\n')
  expect((await loadArrivals('busy.txt', folder)).name).not.toBe(loaded.name)
})

test.each([
  ['', 'bad.txt: expected arrivals at two times or more'],
  ['1\n1\n', 'bad.txt: expected arrivals at two times or more'],
  ['1\n2\n1.5\n', 'bad.txt, line 3: expected the seconds of an arrival, not before the previous one'],
  ['1\nsoon\n', 'bad.txt, line 2: expected the seconds of an arrival, not before the previous one'],
  ['-1\n2\n', 'bad.txt, line 1: expected the seconds of an arrival, not before the previous one'],
])('a file of %j is rejected', async (content, message) => {
  const folder = temporaryFolder()
  writeFileSync(path.join(folder, 'bad.txt'), content)
  await expect(loadArrivals('bad.txt', folder)).rejects.toMatchObject({ message, hint: HINT })
})

test('another name is neither a kind nor a file', async () => {
  await expect(loadArrivals('poison', temporaryFolder())).rejects.toMatchObject({
    message: 'unknown arrivals "poison": there is no such file or folder; expected even or poisson',
    hint: 'Expected even, poisson or a file with recorded arrivals.',
  })
})
