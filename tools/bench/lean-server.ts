/** A bare server that returns recorded bodies of the stub, so that k6 is measured and not the stub. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { createStubCertificate } from '../../scripts/stub/write-profile.ts'
import { startStub } from '../../simulator/stub.ts'

export type LeanReady = {
  port: number
  /** HTTP/1.1 over TLS. */
  tlsPort: number
  /** HTTP/2 over TLS. */
  http2Port: number
  /** CA certificate of both, as PEM. */
  ca: string
  profile: Profile
  wallets: readonly Wallet[]
  apiTokens: readonly string[]
}

export const LEAN_PATHS = [
  '/explore/pools?limit=20',
  '/pools?limit=50',
  '/tokens',
  '/swaps?limit=20',
  '/fee-tiers',
]

if (process.send) await serve()

async function serve(): Promise<void> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  const [token = ''] = stub.apiTokens
  const bodies = new Map<string, Buffer>()
  for (const path of LEAN_PATHS) {
    const response = await fetch(`${stub.profile.baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    bodies.set(path, Buffer.from(await response.arrayBuffer()))
  }
  const { profile, wallets, apiTokens } = stub
  await stub.close()
  let requests = 0
  const reply: RequestListener = (request, response) => {
    if (request.url === '/requests') return response.end(String(requests))
    const body = bodies.get(request.url ?? '')
    requests++
    response.writeHead(body ? 200 : 404, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body?.length ?? 0,
    })
    response.end(body)
  }
  const { identity, ca } = await createStubCertificate({ host: '127.0.0.1' })
  const ready: LeanReady = {
    port: await listen(createServer(reply)),
    tlsPort: await listen(createTlsServer(identity, reply)),
    // as: HTTP/2 requests and replies have the members used here
    http2Port: await listen(createSecureServer(identity, reply as (...given: unknown[]) => void)),
    ca,
    profile,
    wallets,
    apiTokens,
  }
  process.send?.(ready)
  process.once('disconnect', () => process.exit())
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port // as: it listens on a port
}
