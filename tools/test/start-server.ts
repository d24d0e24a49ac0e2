/** For tests: programs of this machine that serve on a port. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

export type StartedServer = { close(): Promise<void> }

/**
 * Starts a program in the foreground and resolves when its standard error matches `ready`: from then on it listens. Rejects with what it
 * printed if it ends before.
 */
export async function startServer(options: {
  binary: string
  args: readonly string[]
  folder: string
  ready: RegExp
}): Promise<StartedServer> {
  const { binary, args, folder, ready } = options
  const child = spawn(binary, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      printed += error.message
      resolve()
    })
    child.on('close', () => resolve())
  })
  const listens = new Promise<true>((resolve) => {
    const read = (chunk: Buffer) => {
      printed += chunk
      if (!ready.test(printed)) return
      // What it prints from here on may be without end: it is read, so that the program can go on, and not kept.
      child.stderr.off('data', read).resume()
      resolve(true)
    }
    child.stderr.on('data', read)
  })
  if ((await Promise.race([listens, ended])) !== true) throw new Error(`${binary} ended: ${printed}`)
  return {
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** As many ports of `host` as are named, free when asked: for programs that do not say which port they took if they may choose. */
export async function freePorts(...hosts: readonly string[]): Promise<number[]> {
  const servers = await Promise.all(
    hosts.map(async (host) => {
      const server = createServer().listen(0, host)
      await once(server, 'listening')
      return server
    }),
  )
  return await Promise.all(
    servers.map(async (server) => {
      const address = server.address()
      server.close()
      await once(server, 'close')
      return typeof address === 'object' && address !== null ? address.port : 0
    }),
  )
}
