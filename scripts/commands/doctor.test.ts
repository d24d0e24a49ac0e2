import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { givenStub } from '../../tools/test/given-stub.ts'
import { findProgram } from '../../tools/test/programs.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import type { Finding } from '../doctor/finding.ts'
import { lookAtPort } from '../doctor/look.ts'
import { builtK6Path } from '../k6/find-k6.ts'
import { projectPath } from '../project.ts'

type DoctorOutput = { verdict: string; platform: string; checks: Finding[] }

test('checks this machine, prints JSON or lines, and leaves nothing behind', async () => {
  const cwd = temporaryFolder()
  const { stdout, stderr, exitCode } = await runCommandLine(['doctor', '--json'], { cwd })
  const { checks, platform } = JSON.parse(stdout) as DoctorOutput
  expect({ stderr, platform }).toEqual({ stderr: '', platform: process.platform })
  expect(checks).toHaveLength(12)
  expect(checks.find(({ check }) => check === 'node')).toMatchObject({ verdict: 'ok' })
  expect(checks.find(({ check }) => check === 'run folders')?.saw).toContain(join(cwd, 'runs'))
  expect(exitCode).toBe(checks.some(({ verdict }) => verdict === 'problem') ? 3 : 0)

  const lines = (await runCommandLine(['doctor'], { cwd })).stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ok {9}node {14}v\d+\.\d+\.\d+; 20\.19 or later is needed$/)
  expect(lines.at(-1)).toMatch(/^12 checks: \w+ problems?, \w+ warnings?$/)
  expect(readdirSync(cwd)).toEqual([])
})

test('reports a problem with a fix, and exits with 3', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'a-file')
  writeFileSync(file, '')
  const env = { ...process.env, XDG_CACHE_HOME: file, BREAKWATER_K6: process.execPath }
  const { stdout, exitCode } = await runCommandLine(['doctor'], { cwd, env })
  expect(stdout).toMatch(
    /^problem {4}k6 +BREAKWATER_K6 is not a k6 with the extensions of k6\/: .*\n.*\n +unset BREAKWATER_K6$/m,
  )
  expect(stdout).toMatch(/^\d+ checks: 1 problem, /m)
  expect(exitCode).toBe(3)
})

test('does not execute a cached k6 that another user could have put there', async () => {
  const cwd = temporaryFolder()
  const env = { ...process.env, XDG_CACHE_HOME: cwd, BREAKWATER_K6: '' }
  const k6 = await builtK6Path({ env, k6SourceDir: projectPath('k6') })
  mkdirSync(dirname(k6), { recursive: true })
  writeFileSync(k6, `#!/bin/sh\ntouch '${cwd}/executed'\n`, { mode: 0o755 })
  chmodSync(join(cwd, 'breakwater'), 0o777)
  const { stdout, exitCode } = await runCommandLine(['doctor'], { cwd, env })
  expect(stdout).toMatch(/^problem {4}cache folder +\S+\/breakwater: every user can write into it$/m)
  expect([exitCode, readdirSync(cwd)]).toEqual([3, ['breakwater']])
})

test('distinguishes a taken port from a free one', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  expect(await lookAtPort(port)).toEqual({ port, failure: 'in use' })
  server.close()
  expect(await lookAtPort(0)).toEqual({ port: 0, failure: null })
})

test('checks a target with the credentials of its profile, and prints no secret', async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile } = await givenStub(cwd)
  const profile = writeProfile({ more: { headers: { 'X-Key': 'header-secret' } } })
  const doctor = (env: NodeJS.ProcessEnv) =>
    runCommandLine(['doctor', '--target', profile, '--json'], { cwd, env })

  const bare = JSON.parse((await doctor(process.env)).stdout) as DoctorOutput
  expect(mapVerdicts(bare)).toMatchObject({
    profile: 'ok',
    rest: 'ok',
    feed: 'ok',
    'api tokens': 'ok',
    control: 'warning',
  })

  const secrets = {
    BREAKWATER_API_TOKENS: stub.apiTokens.join(','),
    BREAKWATER_CONTROL_TOKEN: stub.controlToken,
  }
  const { stdout, stderr } = await doctor({ ...process.env, ...secrets })
  expect(mapVerdicts(JSON.parse(stdout))).toMatchObject({
    'clock of the target': 'ok',
    wallets: 'ok',
    'api tokens': 'ok',
    control: 'ok',
    allowed: 'ok',
  })
  const keys = stub.wallets.map(({ privateKeyJwk }) => privateKeyJwk?.d ?? '')
  for (const secret of [...stub.apiTokens, stub.controlToken, ...keys, 'header-secret']) {
    expect(stdout + stderr).not.toContain(secret)
  }
  const wrong = await doctor({ ...process.env, BREAKWATER_CONTROL_TOKEN: 'not-the-token' })
  expect(mapVerdicts(JSON.parse(wrong.stdout))).toMatchObject({ control: 'problem' })
  expect(wrong).toMatchObject({ exitCode: 3, stderr: '' })
  expect(wrong.stdout).not.toContain('not-the-token')
})

test('--sign-in sends one sign-in, one read and one logout, and names wrong choices', async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile, requests } = await givenStub(cwd)
  const { choices } = stub.profile
  const doctor = async () =>
    runCommandLine(['doctor', '--target', 'profile.json', '--sign-in', '--json'], { cwd })
  const find = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as DoctorOutput).checks.find(({ check }) => check === 'sign-in')

  writeProfile()
  expect(find(await doctor())?.verdict).toBe('ok')
  const sent = (await requests(['/health', '/tokens', '/metrics'])).map(
    ({ method, route }) => `${method} ${route}`,
  )
  expect(sent).toEqual(['POST /auth/challenge', 'POST /auth/verify', 'GET /swaps', 'POST /auth/logout'])

  writeProfile({ more: { choices: { ...choices, verify: { ...choices.verify, csrfToken: null } } } })
  expect(find(await doctor())).toMatchObject({
    verdict: 'ok',
    saw: expect.stringMatching(
      /^\S+ signs in and reads \/swaps\?limit=1\nthe session could not be ended and will expire: POST \/auth\/logout -> 403/,
    ),
  })

  const verify = { ...choices.verify, csrfToken: 'data.nowhere' }
  writeProfile({ more: { choices: { ...choices, verify, cookies: { access: 'wrong', refresh: 'other' } } } })
  const wrong = await doctor()
  expect(wrong.exitCode).toBe(3)
  expect(find(wrong)?.saw).toMatch(
    /^choices\.cookies\.access: verify sets no cookie wrong; it sets .*\nchoices\.cookies\.refresh: .*\nchoices\.verify\.csrfToken: no text at data\.nowhere/,
  )
  writeProfile({ wallets: stub.wallets.filter(({ hasAccess }) => !hasAccess) })
  expect(find(await doctor())).toMatchObject({ verdict: 'problem', saw: 'no wallet with access can sign' })
})

test('--sign-in requires a target, and on a remote one a permission', async () => {
  const cwd = temporaryFolder()
  expect(await runCommandLine(['doctor', '--sign-in'], { cwd })).toMatchObject({ exitCode: 2, stdout: '' })
  const profile = { name: 'x', baseUrl: 'http://remote.invalid', wsUrl: 'ws://remote.invalid' }
  writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile))
  const { stdout, exitCode } = await runCommandLine(['doctor', '--target', 'p.json', '--sign-in'], { cwd })
  expect(stdout).toMatch(
    /^problem +sign-in +remote\.invalid: the profile does not allow to change anything \(allow\.mutations\)$/m,
  )
  expect(exitCode).toBe(3)
})

test('--confirm requires --sign-in, and must name a host of the target', async () => {
  const cwd = temporaryFolder()
  const profile = { name: 'x', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }
  writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile))
  const doctor = (...more: string[]) =>
    runCommandLine(['doctor', '--target', 'p.json', ...more, '--confirm', 'typo.example'], { cwd })
  expect(await doctor()).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('--confirm requires --sign-in'),
  })
  expect(await doctor('--sign-in')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('--confirm typo.example: the target is 127.0.0.1'),
  })
})

test('--sign-in sends nothing to a target that does not respond', async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile } = await givenStub(cwd)
  const unreachable = 'http://127.0.0.1:1'
  const signIn = async () =>
    (await runCommandLine(['doctor', '--target', 'profile.json', '--sign-in'], { cwd })).stdout
  writeProfile({ more: { baseUrl: unreachable } })
  expect(await signIn()).toMatch(/^unchecked +sign-in +not checked: the target does not respond$/m)
  const plain = createPlainServer((_, response) => response.end('<p>no exchange</p>')).listen(0, '127.0.0.1')
  await once(plain, 'listening')
  onTestFinished(() => void plain.close())
  const { port } = plain.address() as AddressInfo // as: it listens on TCP
  writeProfile({ more: { baseUrl: `http://127.0.0.1:${port}`, wsUrl: stub.profile.wsUrl } })
  expect(await signIn()).toMatch(
    /^unchecked +sign-in +not checked: the target does not respond like an exchange$/m,
  )
})

test.each([
  {
    what: 'is not there',
    text: undefined,
    says: /^problem +profile +p\.json: cannot be read: there is no such file/m,
  },
  {
    what: 'is wrong',
    text: '{"name": "x", // a comment\n "baseUrl": "nowhere", "wsUrl": "ws://127.0.0.1:1", "extra": 1}',
    says: /^problem +profile +p\.json: not a valid target profile:\n +baseUrl: expected an http.*\n +extra: unknown key/m,
  },
  {
    what: 'has https for an http server',
    text: '{"name": "x", "baseUrl": "https://127.0.0.1:PLAIN", "wsUrl": "wss://127.0.0.1:PLAIN"}',
    says: /^problem +rest +GET https:.*: it responds, but not with TLS\n +If it speaks plain HTTP, write http:\/\/ in baseUrl/m,
  },
  {
    what: 'names another server',
    text: '{"name": "x", "baseUrl": "http://127.0.0.1:PLAIN/app", "wsUrl": "ws://127.0.0.1:PLAIN"}',
    says: /^problem +exchange +GET http:.*\/app\/tokens: returned 200 without JSON: that is no exchange$/m,
  },
  {
    what: 'names nobody',
    text: '{"name": "x", "baseUrl": "http://127.0.0.1:1", "wsUrl": "ws://127.0.0.1:1"}',
    says: /^problem +rest +GET http:\/\/127\.0\.0\.1:1\/health: connect ECONNREFUSED[\s\S]*^problem +feed /m,
  },
])('a profile that $what is a problem', async ({ text, says }) => {
  const cwd = temporaryFolder()
  const plain = createPlainServer((_, response) => response.end('<p>no exchange</p>')).listen(0, '127.0.0.1')
  await once(plain, 'listening')
  onTestFinished(() => void plain.close())
  const { port } = plain.address() as AddressInfo // as: it listens on TCP
  if (text !== undefined) writeFileSync(join(cwd, 'p.json'), text.replaceAll('PLAIN', String(port)))
  const { stdout, stderr, exitCode } = await runCommandLine(['doctor', '--target', 'p.json'], { cwd })
  expect(stdout).toMatch(says)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 3 })
})

const openssl = findProgram(['openssl'], process.env)

test.runIf(openssl)('rejects a private certificate until the profile names it', async () => {
  const cwd = temporaryFolder()
  const [key, cert] = [join(cwd, 'key.pem'), join(cwd, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '60']
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
  ]
  execFileSync(openssl ?? '', [...args, '-out', cert, ...subject], { stdio: 'ignore' })
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
    response.end('{}'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  const doctor = async (more: object) => {
    const profile = {
      name: 'x',
      baseUrl: `https://127.0.0.1:${port}`,
      wsUrl: `wss://127.0.0.1:${port}`,
      ...more,
    }
    writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile))
    return (await runCommandLine(['doctor', '--target', 'p.json'], { cwd })).stdout
  }
  expect(await doctor({})).toMatch(
    /^problem +rest .*the certificate is self-signed, and not trusted here\n +Put the certificate .* name the file in `ca`/m,
  )
  const trusted = await doctor({ ca: 'cert.pem' })
  expect(trusted).toMatch(/^ok +rest .*returns 200/m)
  expect(trusted).toMatch(/^ok +tls +TLSv1\.3, certificate valid until \d{4}-\d\d-\d\d$/m)
  expect(existsSync(join(cwd, 'runs'))).toBe(false)
})

function mapVerdicts({ checks }: DoctorOutput): Record<string, string> {
  return Object.fromEntries(checks.map(({ check, verdict }) => [check, verdict]))
}
