// Over real sockets: `doctor` and every command explain an unusable target in the same words.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority, createSelfSigned } from '../simulator/http/certificates.ts'
import { runCommandLine } from '../tools/test/run-command-line.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { sampleByTree } from '../tools/test/tree-sample.ts'

const VALIDITY = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T00:00:00Z') }
const PAST = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2020-02-01T00:00:00Z') }
const NAMES: [string] = ['127.0.0.1']

const authority = await createAuthority({ name: 'Test CA', ...VALIDITY })
const stranger = await createAuthority({ name: 'Another CA', ...VALIDITY })
const good = await authority.issue({ names: NAMES, ...VALIDITY })
const OLD_TLS: ServerOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }

type Case = {
  name: string
  /** Default: plain HTTP. */
  tls?: ServerOptions
  /** The scheme in the profile; default: the server's. */
  scheme?: 'http' | 'https'
  trusts?: string
  /** The response to an upgrade, without the status line's version; default: 101. */
  upgrade?: string
  /** The body of other responses. */
  body?: string
  saw: string
  remedy: string
}

const CASES: readonly Case[] = [
  {
    name: 'a certificate that has expired',
    tls: await authority.issue({ names: NAMES, ...PAST }),
    trusts: authority.pem,
    saw: 'the certificate has expired',
    remedy: 'Renew the certificate of the target.',
  },
  {
    name: 'a certificate for another name',
    tls: await authority.issue({ names: ['exchange.test', '10.0.0.1'], ...VALIDITY }),
    trusts: authority.pem,
    saw: 'the certificate is for exchange.test, 10.0.0.1, not for 127.0.0.1',
    remedy:
      'Use a host name in baseUrl of the profile that the certificate is for, or have one issued for 127.0.0.1.',
  },
  {
    name: 'a self-signed certificate, and no ca',
    tls: await createSelfSigned({ names: NAMES, ...VALIDITY }),
    saw: 'the certificate is self-signed, and not trusted here',
    remedy:
      'Put the certificate of that authority into a file, in PEM form, and name the file in `ca` of the profile.',
  },
  {
    name: 'a certificate of an authority that the ca is not',
    tls: good,
    trusts: stranger.pem,
    saw: 'the certificate is signed by an authority that is not trusted here',
    remedy:
      'The file that `ca` of the profile names does not have the authority that signed it. Put its certificate there, in PEM form.',
  },
  {
    name: 'a version of TLS that is refused',
    tls: { ...good, ...OLD_TLS },
    trusts: authority.pem,
    saw: 'it speaks neither TLS 1.2 nor TLS 1.3',
    remedy: 'Allow TLS 1.2 or 1.3 on the target: k6 and Breakwater use no older version.',
  },
  {
    name: 'HTTP on an HTTPS port',
    scheme: 'https',
    saw: 'it responds, but not with TLS',
    remedy: 'If it speaks plain HTTP, write http:// in baseUrl of the profile; otherwise correct the port.',
  },
  {
    name: 'HTTPS on an HTTP port',
    tls: good,
    scheme: 'http',
    saw: 'it speaks TLS, not plain HTTP',
    remedy: 'Write https:// in baseUrl of the profile.',
  },
  {
    name: 'a page instead of JSON',
    body: '<!doctype html><title>App</title>',
    saw: 'it responds 200 with an HTML page; expected JSON',
    remedy:
      'A proxy or web app responds, not the exchange: correct baseUrl of the profile, including the path before the routes.',
  },
  ...(
    [
      [
        '200 OK',
        '',
        'This is not a WebSocket server: correct wsUrl of the profile, or make the proxy forward',
      ],
      [
        '301 Moved Permanently',
        ' to https://feed.test/ws',
        'Set wsUrl of the profile to the redirect target',
      ],
      [
        '403 Forbidden',
        '',
        'If the WebSocket requires an Origin or another header, set `origin` or `headers`',
      ],
      ['502 Bad Gateway', '', 'A proxy responds, but not the WebSocket server behind it'],
    ] as const
  ).map(([upgrade, to, remedy]) => ({
    name: `an upgrade with the response ${upgrade}`,
    tls: good,
    trusts: authority.pem,
    upgrade,
    saw: `it responds ${upgrade.slice(0, 3)}${to} to an upgrade; expected 101`,
    remedy,
  })),
]

/** Commands that need the WebSocket, and those that do not. */
const FEED_COMMANDS = [
  'smoke --target p.json',
  'load --target p.json --rate 1 --mix bots',
  'capacity --target p.json --mix bots',
]
const COMMANDS = [
  ...FEED_COMMANDS,
  'repro run slow-consumer --target p.json',
  'run scenario.k6.ts --target p.json',
]
const env = { ...process.env, BREAKWATER_API_TOKENS: 'ss_of-a-test' }

test.each(sampleByTree(CASES, 4))(
  '$name: doctor and every command say what was seen, and what to change',
  async (given) => {
    const { saw, remedy } = given
    const cwd = await writeProfile(given)
    const doctor = await runCommandLine(['doctor', '--target', 'p.json', '--json'], { cwd })
    const { checks } = JSON.parse(doctor.stdout)
    expect(checks).toContainEqual(
      expect.objectContaining({
        saw: expect.stringMatching(new RegExp(`: ${escaped(saw)}$`)),
        remedy: { text: expect.stringContaining(remedy) },
      }),
    )
    for (const command of given.upgrade === undefined ? COMMANDS : FEED_COMMANDS) {
      const { exitCode, stdout, stderr } = await runCommandLine(command.split(' '), { cwd, env })
      expect([command, exitCode, stdout]).toEqual([command, 3, ''])
      const [message = '', hint = '', ...more] = stderr.trimEnd().split('\n')
      expect(message).toMatch(new RegExp(`^breakwater: p\\.json: .*: ${escaped(saw)}$`))
      expect(hint).toContain(`  ${remedy}`)
      expect(more).toEqual([])
    }
  },
)

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Writes a profile of a server, and a custom scenario. */
async function writeProfile({ tls, scheme, trusts, upgrade, body = '{"data":[]}' }: Case): Promise<string> {
  const cwd = temporaryFolder()
  const server: Server = tls ? createTlsServer(tls) : createServer()
  server.on('request', (_, response) =>
    response.setHeader('content-type', body.startsWith('<') ? 'text/html' : 'application/json').end(body),
  )
  server.on('upgrade', (_, stream: Duplex) => {
    const head = upgrade ?? '101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade'
    const location = upgrade?.startsWith('3') ? '\r\nLocation: https://feed.test/ws' : ''
    stream.on('error', () => {}).end(`HTTP/1.1 ${head}${location}\r\nContent-Length: 0\r\n\r\n`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  const secure = (scheme ?? (tls ? 'https' : 'http')) === 'https' ? 's' : ''
  const address = `127.0.0.1:${port}`
  const ca = trusts === undefined ? {} : { ca: 'ca.pem' }
  const profile = {
    name: 't',
    baseUrl: `http${secure}://${address}`,
    wsUrl: `ws${secure}://${address}`,
    ...ca,
  }
  writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile))
  if (trusts !== undefined) writeFileSync(join(cwd, 'ca.pem'), trusts)
  writeFileSync(join(cwd, 'scenario.k6.ts'), 'export default function () {}\n')
  return cwd
}
