import 'reflect-metadata' // The library expects it to be loaded first.
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** The caller reads the clock, for determinism. */
export type Validity = { notBefore: Date; notAfter: Date }

export type IssuedCertificate = { cert: string; key: string }

/** A certificate authority. It never exposes its private key. */
export type Authority = {
  /** Certificate that clients trust, as PEM. */
  pem: string
  /**
   * Issues a server certificate, signed directly so that a server needs no chain. `names` are host names and IP
   * addresses: the first is the common name, and all are subject alternative names, the only ones that clients check.
   */
  issue(request: { names: readonly [string, ...string[]] } & Validity): Promise<IssuedCertificate>
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Creates a certificate authority with a new key (ECDSA on P-256, which every TLS library supports). */
export async function createAuthority({
  name,
  ...validity
}: { name: string } & Validity): Promise<Authority> {
  const keys = await generateKeys()
  const root = await X509CertificateGenerator.createSelfSigned({
    ...common(validity),
    name: [{ CN: [name] }],
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return {
    pem: toPem(root),
    issue: (request) => issue(request, { subject: root.subject, keys }),
  }
}

/** Creates a self-signed server certificate, for tests without an authority. */
export async function createSelfSigned(
  request: { names: readonly [string, ...string[]] } & Validity,
): Promise<IssuedCertificate> {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...common(request),
    name: [{ CN: [request.names[0]] }],
    keys,
    extensions: await serverExtensions(request.names, { own: keys, issuer: keys }),
  })
  return { cert: toPem(certificate), key: await exportPrivateKey(keys) }
}

async function issue(
  request: { names: readonly [string, ...string[]] } & Validity,
  issuer: { subject: string; keys: webcrypto.CryptoKeyPair },
): Promise<IssuedCertificate> {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.create({
    ...common(request),
    subject: [{ CN: [request.names[0]] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: issuer.keys.privateKey,
    extensions: await serverExtensions(request.names, { own: keys, issuer: issuer.keys }),
  })
  return { cert: toPem(certificate), key: await exportPrivateKey(keys) }
}

/** Random keys: a seed may be public. */
async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

function common({ notBefore, notAfter }: Validity) {
  // Positive, and at most 20 bytes: https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.2.
  return {
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    serialNumber: `00${randomBytes(15).toString('hex')}`,
  }
}

async function serverExtensions(
  names: readonly string[],
  { own, issuer }: { own: webcrypto.CryptoKeyPair; issuer: webcrypto.CryptoKeyPair },
): Promise<Extension[]> {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(
      names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
    ),
    await SubjectKeyIdentifierExtension.create(own.publicKey),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ]
}

function toPem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}

async function exportPrivateKey({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return `${PemConverter.encode(bytes, 'PRIVATE KEY')}\n`
}
