import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { writeProfile } from './write-profile.ts'

const PROFILE = profileSchema.parse({ name: 'stub', baseUrl: 'http://stub:8080', wsUrl: 'ws://stub:8081' })

test('its own profile is written anew, or where there is nothing yet', async () => {
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
  expect(await writeProfile(stub, { file: 'mine/p.json', cwd })).toBe(join(cwd, 'mine/stub-ca.pem'))
  expect(readFileSync(join(cwd, 'mine/stub-ca.pem'), 'utf8')).toBe('a certificate')
  expect(JSON.parse(readFileSync(join(cwd, 'mine/p.json'), 'utf8'))).toMatchObject({ ca: 'stub-ca.pem' })
})

test('a certificate that cannot be written is an error of usage', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'stub-ca.pem'))
  const writing = writeProfile(
    { profile: PROFILE, wallets: [], ca: 'a certificate' },
    { file: 'p.json', cwd },
  )
  await expect(writing).rejects.toMatchObject({
    message: 'p.json: stub-ca.pem next to it cannot be written: it is a folder, not a file',
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
      message: 'mine.json: is there already, and is no profile of the stub',
      exitCode: 2,
    })
    expect(readFileSync(join(cwd, 'mine.json'), 'utf8')).toBe(text)
    expect(existsSync(join(cwd, 'stub-wallets.json'))).toBe(false)
  },
)
