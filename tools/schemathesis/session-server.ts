import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { signInAs } from '../../simulator/examples/demo-client.ts'

/** Answers each request with a session of its own: for hooks.py, which cannot sign. */
export async function serveSessions(
  wallet: Wallet,
  profile: Profile,
): Promise<{ url: string; close(): void }> {
  const server = createServer(async (_request, response) => {
    const { cookie, csrfToken } = await signInAs(wallet, profile)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ cookies: cookiesIn(cookie), csrfToken }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The cookies of a `Cookie` header, by name. */
export function cookiesIn(header: string): Record<string, string> {
  return Object.fromEntries(
    header.split('; ').map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, end), pair.slice(end + 1)]
    }),
  )
}
