/** A bare server that answers each path with a body recorded of the stub: so that k6, and not the stub, is what is measured. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { startStub } from '../../simulator/stub.ts'

export type LeanReady = {
  port: number
  profile: Profile
  wallets: readonly Wallet[]
  apiTokens: readonly string[]
}

/** What the bench asks for, in turn. */
export const LEAN_PATHS = [
  '/explore/pools?limit=20',
  '/pools?limit=50',
  '/tokens',
  '/swaps?limit=20',
  '/fee-tiers',
]

if (process.send) await serve()

async function serve(): Promise<void> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual', examples: 'none' })
  const [token = ''] = stub.apiTokens
  const bodies = new Map<string, Buffer>()
  for (const path of LEAN_PATHS) {
    const answer = await fetch(`${stub.profile.baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    bodies.set(path, Buffer.from(await answer.arrayBuffer()))
  }
  const { profile, wallets, apiTokens } = stub
  await stub.close()
  let requests = 0
  const server = createServer((request, response) => {
    if (request.url === '/requests') return response.end(String(requests))
    const body = bodies.get(request.url ?? '')
    requests++
    response.writeHead(body ? 200 : 404, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body?.length ?? 0,
    })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
    const ready: LeanReady = { port, profile, wallets, apiTokens }
    process.send?.(ready)
  })
  process.once('disconnect', () => process.exit())
}
