import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { readCertificates, readProfile, readWallets } from './target-files.ts'

const PROFILE = {
  name: 'staging',
  baseUrl: 'https://exchange.example',
  wsUrl: 'wss://exchange.example',
  headers: { 'X-Tier': 'staging', 'X-Key': 'of the profile' },
}

function read(env: NodeJS.ProcessEnv, file = 'p.json', more: object = {}) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'p.json'), JSON.stringify({ ...PROFILE, ...more }))
  return readProfile(file, { cwd, env })
}

test('merges headers from the environment into those of the profile', async () => {
  const { profile } = await read({
    BREAKWATER_HEADERS: '{"X-Key":"secret","Authorization":"Basic c2VjcmV0"}',
  })
  expect(profile.headers).toEqual({ 'X-Tier': 'staging', 'X-Key': 'secret', Authorization: 'Basic c2VjcmV0' })
  for (const env of [{}, { BREAKWATER_HEADERS: '' }])
    expect((await read(env)).profile.headers).toEqual(PROFILE.headers)
})

test.each([
  { control: 'http://127.0.0.1:8082/', trimmed: 'http://127.0.0.1:8082' },
  { control: 'http://localhost:8082/stub//', trimmed: 'http://localhost:8082/stub' },
  { control: null, trimmed: null },
])('reads the control API $control as $trimmed', async ({ control, trimmed }) => {
  expect((await read({}, 'p.json', { control })).profile.control).toBe(trimmed)
})

test.each([
  ['secret', /^BREAKWATER_HEADERS: not JSON: /],
  ['["secret"]', /^BREAKWATER_HEADERS: not a valid list of headers:\n {2}\(top level\): expected an object/],
  [
    '{"X-Key":"secret\\n"}',
    /^BREAKWATER_HEADERS: not a valid list of headers:\n {2}\["X-Key"\]: not a header value/,
  ],
])('rejects the headers %s without repeating them', async (text, says) => {
  const error = await read({ BREAKWATER_HEADERS: text }).catch((error: unknown) => error)
  expect(error).toMatchObject({
    message: expect.stringMatching(says),
    hint: expect.stringContaining('{"Authorization":"Basic …"}'),
    exitCode: 2,
  })
  expect(String(error)).not.toContain('secret')
})

test('rejects a URL without repeating its secrets', async () => {
  await expect(read({}, 'https://me:secret@exchange.example/?key=secret')).rejects.toMatchObject({
    message: 'https://exchange.example/: expected a target profile file, not a URL',
    hint: expect.stringContaining('BREAKWATER_HEADERS'),
    exitCode: 2,
  })
})

test.each([
  { kind: 'a pipe', plant: (file: string) => execFileSync('mkfifo', [file]) },
  { kind: 'a link to a device', plant: (file: string) => symlinkSync('/dev/zero', file) },
])('a profile that names $kind as wallets or certificates does not block', async ({ plant }) => {
  const cwd = temporaryFolder()
  plant(join(cwd, 'strange'))
  const profile = { ...PROFILE, ca: 'strange', credentials: { wallets: 'strange' } }
  writeFileSync(
    join(cwd, 'p.json'),
    JSON.stringify({ ...profile, baseUrl: 'http://127.0.0.1:9', wsUrl: 'ws://127.0.0.1:9' }),
  )
  const from = await readProfile('p.json', { cwd, env: {} })
  const reason = 'strange: cannot be read: it is a pipe or a device, not a file'
  await expect(readWallets(from)).rejects.toThrow(`p.json: credentials.wallets: ${reason}`)
  await expect(readCertificates(from)).rejects.toThrow(`p.json: ca: ${reason}`)
})
