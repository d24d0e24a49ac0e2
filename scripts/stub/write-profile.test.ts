import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writeProfile } from './write-profile.ts'

const PROFILE = profileSchema.parse({ name: 'stub', baseUrl: 'http://stub:8080', wsUrl: 'ws://stub:8081' })

test('writes a new profile, or overwrites its own', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'empty.json'), '')
  for (const file of ['p.json', 'p.json', 'empty.json']) {
    await writeProfile({ profile: PROFILE, wallets: [] }, { file, cwd })
    expect(JSON.parse(readFileSync(join(cwd, file), 'utf8'))).toMatchObject({ name: 'stub' })
  }
})

test('the certificate to trust is written next to the profile, which names it', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'mine'))
  const stub = { profile: PROFILE, wallets: [], ca: 'a certificate' }
  expect(await writeProfile(stub, { file: 'mine/p.json', cwd })).toBe(join(cwd, 'mine/p-ca.pem'))
  expect(readFileSync(join(cwd, 'mine/p-ca.pem'), 'utf8')).toBe('a certificate')
  expect(JSON.parse(readFileSync(join(cwd, 'mine/p.json'), 'utf8'))).toMatchObject({ ca: 'p-ca.pem' })
})

test('a certificate that cannot be written is a usage error', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'p-ca.pem'))
  const writing = writeProfile(
    { profile: PROFILE, wallets: [], ca: 'a certificate' },
    { file: 'p.json', cwd },
  )
  await expect(writing).rejects.toMatchObject({
    message: 'p.json: p-ca.pem next to it cannot be written: it is a folder, not a file',
    exitCode: 2,
  })
})

test.each(['{"name":"staging"}', '// mine\n{}', 'null', 'a note'])(
  'a file that holds %j stays as it is',
  async (text) => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'mine.json'), text)
    const writing = writeProfile({ profile: PROFILE, wallets: [] }, { file: 'mine.json', cwd })
    await expect(writing).rejects.toMatchObject({
      message: 'mine.json: exists and is not a profile of the stub',
      exitCode: 2,
    })
    expect(readFileSync(join(cwd, 'mine.json'), 'utf8')).toBe(text)
    expect(existsSync(join(cwd, 'mine-wallets.json'))).toBe(false)
  },
)

test('keeps the files of others, whatever their names', async () => {
  const cwd = temporaryFolder()
  for (const name of ['stub-wallets.json', 'p-wallets.json']) writeFileSync(join(cwd, name), '["mine"]')
  const write = (file: string) => writeProfile({ profile: PROFILE, wallets: [] }, { file, cwd })
  await write('target.json')
  expect(JSON.parse(readFileSync(join(cwd, 'target.json'), 'utf8'))).toMatchObject({
    credentials: { wallets: 'target-wallets.json' },
  })
  await expect(write('p.json')).rejects.toMatchObject({
    message: 'p.json: p-wallets.json next to it already exists, and no profile of the stub names it',
    hint: 'Name another profile, or move that file, because it would be overwritten.',
    exitCode: 2,
  })
  writeFileSync(join(cwd, 'q-ca.pem'), 'mine')
  const withCa = writeProfile({ profile: PROFILE, wallets: [], ca: 'a certificate' }, { file: 'q.json', cwd })
  await expect(withCa).rejects.toThrow('q.json: q-ca.pem next to it already exists')
  expect(readdirSync(cwd).sort()).toEqual([
    'p-wallets.json',
    'q-ca.pem',
    'stub-wallets.json',
    'target-wallets.json',
    'target.json',
  ])
  expect(readFileSync(join(cwd, 'p-wallets.json'), 'utf8')).toBe('["mine"]')
})

test.each([
  { link: 'p.json', message: 'p.json: expected a file, found a link' },
  {
    link: 'p-wallets.json',
    message: 'p.json: p-wallets.json next to it cannot be written: it is a link, not a file',
  },
])('does not follow a link at $link', async ({ link, message }) => {
  const cwd = temporaryFolder()
  const text = JSON.stringify({ name: 'stub', credentials: { wallets: 'p-wallets.json' } })
  writeFileSync(join(cwd, 'secret'), text)
  symlinkSync('secret', join(cwd, link))
  const writing = writeProfile({ profile: PROFILE, wallets: [] }, { file: 'p.json', cwd })
  await expect(writing).rejects.toMatchObject({ message, exitCode: 2 })
  expect(readFileSync(join(cwd, 'secret'), 'utf8')).toBe(text)
})

test('its earlier files are replaced by new ones that only this user can read', async () => {
  const cwd = temporaryFolder()
  const write = () => writeProfile({ profile: PROFILE, wallets: [] }, { file: 'p.json', cwd })
  await write()
  for (const name of ['p.json', 'p-wallets.json']) chmodSync(join(cwd, name), 0o644)
  await write()
  for (const name of ['p.json', 'p-wallets.json']) {
    expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(cwd).sort()).toEqual(['p-wallets.json', 'p.json'])
})
