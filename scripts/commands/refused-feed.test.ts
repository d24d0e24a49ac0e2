// A target whose feed rejects upgrades: every command that needs the feed explains it before it starts anything.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const COMMANDS = ['smoke --no-load', 'repro run slow-consumer', 'run feed.k6.ts'] as const

const REFUSALS = [
  [200, /it responds 200 to an upgrade; expected 101\n {2}This is not a WebSocket server/],
  [301, /it responds 301 to https:\/\/new\.example to an upgrade; expected 101\n {2}Set wsUrl/],
  [403, /it responds 403 to an upgrade; expected 101\n {2}If the WebSocket requires an Origin/],
  [502, /it responds 502 to an upgrade; expected 101\n {2}A proxy responds/],
] as const

test.each(COMMANDS.flatMap((command) => REFUSALS.map(([status, says]) => ({ command, status, says }))))(
  '`$command` explains a feed that responds $status',
  async ({ command, status, says }) => {
    const cwd = await folderFor(status)
    const { exitCode, stderr } = await runCommandLine([...command.split(' '), '--target', 'p.json'], { cwd })
    expect(stderr).toContain('breakwater: p.json: the WebSocket does not open: ws://127.0.0.1:')
    expect(stderr).toMatch(says)
    expect(exitCode).toBe(3)
  },
)

/** Creates a folder with the profile of a target without a feed, and a script that opens a socket. */
async function folderFor(status: number): Promise<string> {
  const server = createServer((_, response) => response.end('{}'))
  server.on('upgrade', (_, socket) =>
    socket
      .on('error', () => {})
      .end(
        `HTTP/1.1 ${status} No\r\n${status === 301 ? 'Location: https://new.example\r\n' : ''}Content-Length: 0\r\n\r\n`,
      ),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}` // as: it listens on TCP
  const cwd = temporaryFolder()
  const profile = {
    name: 'test',
    baseUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    allow: { load: true, mutations: true },
  }
  writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile))
  writeFileSync(join(cwd, 'feed.k6.ts'), "import { openFeed, target } from 'kit'\nopenFeed(target)\n")
  return cwd
}
