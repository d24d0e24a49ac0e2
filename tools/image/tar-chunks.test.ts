import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { type TarEntry, tarChunks } from './image-layers.ts'

const LONG = `${'deep/'.repeat(30)}grün.txt`

test('tar extracts what was archived: modes, links, long names, files of many blocks', () => {
  const folder = temporaryFolder()
  const big = Buffer.alloc(3_000_001, 'breakwater ')
  writeFileSync(join(folder, 'big'), big)
  const entries: TarEntry[] = [
    { path: 'tmp', mode: 0o1777, kind: 'folder' },
    { path: 'run.sh', mode: 0o755, kind: 'data', data: Buffer.from('echo hello\n') },
    { path: 'empty', mode: 0o644, kind: 'data', data: Buffer.alloc(0) },
    { path: 'big', mode: 0o644, kind: 'file', from: join(folder, 'big') },
    { path: LONG, mode: 0o600, kind: 'data', data: Buffer.from('far down') },
    { path: 'link', mode: 0o777, kind: 'link', to: `/${LONG}` },
  ]
  const archive = Buffer.concat([...tarChunks(entries)])
  expect(archive.length % 512).toBe(0)
  expect(Buffer.concat([...tarChunks(entries)]).equals(archive)).toBe(true)

  writeFileSync(join(folder, 'all.tar'), archive)
  const out = join(folder, 'out')
  mkdirSync(out)
  execFileSync('tar', ['--same-permissions', '-xf', join(folder, 'all.tar'), '-C', out])
  const readMode = (path: string) => (lstatSync(join(out, path)).mode & 0o7777).toString(8)
  expect(['tmp', 'run.sh', 'empty', LONG].map(readMode)).toEqual(['1777', '755', '644', '600'])
  expect(readFileSync(join(out, 'run.sh'), 'utf8')).toBe('echo hello\n')
  expect(readFileSync(join(out, 'empty')).length).toBe(0)
  expect(readFileSync(join(out, 'big')).equals(big)).toBe(true)
  expect(readFileSync(join(out, LONG), 'utf8')).toBe('far down')
  expect(readlinkSync(join(out, 'link'))).toBe(`/${LONG}`)
})
