import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Authority, createAuthority, createSelfSigned, type IssuedCertificate } from './certificates.ts'

const VALIDITY = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T00:00:00Z') }
const PAST = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2020-02-01T00:00:00Z') }
const newAuthority = () => createAuthority({ name: 'Test CA', ...VALIDITY })

test('an authority signs its own certificates and no others', async () => {
  const [one, other] = [await newAuthority(), await newAuthority()]
  const { cert } = await one.issue({ names: ['exchange.test', '127.0.0.1', '::1'], ...VALIDITY })
  const leaf = new X509Certificate(cert)
  const root = new X509Certificate(one.pem)
  expect(leaf).toMatchObject({
    subject: 'CN=exchange.test',
    subjectAltName: 'DNS:exchange.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    issuer: 'CN=Test CA',
    validFrom: 'Jan  1 00:00:00 2020 GMT',
    validTo: 'Dec 31 00:00:00 2049 GMT',
    ca: false,
  })
  expect([root.ca, root.subject]).toEqual([true, 'CN=Test CA'])
  expect([leaf.checkIssued(root), leaf.verify(root.publicKey)]).toEqual([true, true])
  expect(leaf.verify(new X509Certificate(other.pem).publicKey)).toBe(false)
})

test.each<
  [what: string, host: string, saw: (authority: Authority) => Promise<IssuedCertificate>, code: string]
>([
  ['its name', '127.0.0.1', (it) => it.issue({ names: ['127.0.0.1'], ...VALIDITY }), '200'],
  [
    'the second of its names',
    'localhost',
    (it) => it.issue({ names: ['127.0.0.1', 'localhost'], ...VALIDITY }),
    '200',
  ],
  [
    'another name',
    'localhost',
    (it) => it.issue({ names: ['127.0.0.1'], ...VALIDITY }),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  [
    'an end in the past',
    '127.0.0.1',
    (it) => it.issue({ names: ['127.0.0.1'], ...PAST }),
    'CERT_HAS_EXPIRED',
  ],
  [
    'no authority',
    '127.0.0.1',
    () => createSelfSigned({ names: ['127.0.0.1'], ...VALIDITY }),
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ],
])(
  'a client that trusts the authority, and a server with a certificate for %s',
  async (_, host, issued, code) => {
    const authority = await newAuthority()
    const server = createServer(await issued(authority), (_, response) => response.end())
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo // as: it listens on TCP
    const requested = get({ host, port, ca: authority.pem, agent: false })
    const saw = await once(requested, 'response').then(
      ([response]) => String(response.resume().statusCode),
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(saw).toBe(code)
  },
)
