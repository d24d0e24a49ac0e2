import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export const CHROMIUM_REMEDY = 'Install it (Debian: chromium), or set BREAKWATER_CHROMIUM to its path.'

/** The browser in BREAKWATER_CHROMIUM, else the first on the PATH, if any. */
export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  return env.BREAKWATER_CHROMIUM || findProgram(NAMES, env)
}

/** The first executable of these names on the PATH, if any. */
export function findProgram(names: readonly string[], { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = PATH.split(delimiter).filter(isAbsolute)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export const PROMETHEUS_REMEDY = 'Install it (Debian: prometheus), or set BREAKWATER_PROMETHEUS to its path.'

/** The server in BREAKWATER_PROMETHEUS, else the first on the PATH, if any. */
export function findPrometheus(env: NodeJS.ProcessEnv): string | undefined {
  return env.BREAKWATER_PROMETHEUS || findProgram(['prometheus'], env)
}

/** For `test.runIf(found)`: if undefined, prints that tests are skipped, or throws if BREAKWATER_CLIENTS=required, as in CI. */
export function foundOrSkipped<Found>(
  found: Found | undefined,
  options: {
    what: string
    remedy: string
    env: NodeJS.ProcessEnv
    tell: (text: string) => void
  },
): Found | undefined {
  const { what, remedy, env, tell } = options
  if (found !== undefined) return found
  if (env.BREAKWATER_CLIENTS === 'required') {
    throw new Error(`BREAKWATER_CLIENTS=required, but ${what} was not found. ${remedy}`)
  }
  tell(`\n!!! SKIPPED: tests that need ${what}, which was not found. ${remedy}\n`)
  return undefined
}

/** A program that serves on a port. `printed`: its standard error up to `ready`. */
export type StartedServer = { printed: string; close(): Promise<void> }

/**
 * Starts a program in the foreground, and resolves when its standard error matches `ready`. Rejects with its output if it exits
 * before. The program inherits the sockets as descriptors 3, 4, …
 */
export async function startServer(options: {
  binary: string
  args: readonly string[]
  folder: string
  ready: RegExp
  sockets?: readonly ListeningSocket[]
  env?: NodeJS.ProcessEnv
}): Promise<StartedServer> {
  const { binary, args, folder, ready, sockets = [], env = process.env } = options
  const stdio = ['ignore', 'ignore', 'pipe', ...sockets.map(({ fd }) => fd)] as const
  const child = spawn(binary, args, { cwd: folder, env, stdio: [...stdio] })
  for (const socket of sockets) socket.close()
  const stderr = child.stderr as Readable // as: it is a pipe
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
      // Drains further output, which may be endless, so that the program can continue.
      stderr.off('data', read).resume()
      resolve(true)
    }
    stderr.on('data', read)
  })
  if ((await Promise.race([listens, ended])) !== true) throw new Error(`${binary} ended: ${printed}`)
  return {
    printed,
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A listening socket for a program that cannot choose a port and print it. No other process can take its port. */
export type ListeningSocket = { port: number; fd: number; close(): void }

export async function listenOn(host: string): Promise<ListeningSocket> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  // as: the handle of a listening server is private
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  return { port, fd, close: () => void server.close() }
}
