import { rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { TlsIdentity } from '../../simulator/http/serve-tls.ts'
import { makeScratchFolder } from '../scratch-folder.ts'

/** What a stub serves TLS with, and who vouches for it: the certificate of an authority that was made for this stub alone, as PEM. */
export type StubCertificate = { identity: TlsIdentity; ca: string }

const DAY_MS = 86_400_000
/** So that a client whose clock is behind takes it too. */
const BEFORE_MS = DAY_MS
const VALID_MS = 365 * DAY_MS

/** Creates a certificate for the address that a stub listens on, for this machine by its name, and for loopback. */
export async function createStubCertificate({ host }: { host: string }): Promise<StubCertificate> {
  // Loaded here alone: it takes long, and most stubs speak plain HTTP.
  const { createAuthority } = await import('../../simulator/tls/certificates.ts')
  const nowMs = Date.now()
  const validity = { notBefore: new Date(nowMs - BEFORE_MS), notAfter: new Date(nowMs + VALID_MS) }
  const authority = await createAuthority({ name: 'Breakwater stub', ...validity })
  const others = new Set(['127.0.0.1', '::1', host, hostname()])
  const identity = await authority.issue({ names: ['localhost', ...others], ...validity })
  return { identity, ca: authority.pem }
}

/** Keeps an authority's certificate in a file for as long as a stub runs that has no profile to name one. */
export async function withCaFile<Result>(
  ca: string,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = await makeScratchFolder('stub')
  try {
    const file = join(folder, 'ca.pem')
    await writeFile(file, ca)
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
