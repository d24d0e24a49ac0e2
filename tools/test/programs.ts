import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'

/** Debian's names, then Google's. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export const CHROMIUM_REMEDY = 'Install it (Debian: chromium), or name a browser in BREAKWATER_CHROMIUM.'

/** The browser that BREAKWATER_CHROMIUM names, else the first on the PATH; undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  return env.BREAKWATER_CHROMIUM || findProgram(NAMES, env)
}

/** The first of the names that may be run, in any folder of the PATH; undefined where there is none. */
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

export const PROMETHEUS_REMEDY = 'Install it (Debian: prometheus), or name one in BREAKWATER_PROMETHEUS.'

/** The server that BREAKWATER_PROMETHEUS names, else the first on the PATH; undefined where there is none. */
export function findPrometheus(env: NodeJS.ProcessEnv): string | undefined {
  return env.BREAKWATER_PROMETHEUS || findProgram(['prometheus'], env)
}

/**
 * For tests that need what a machine may lack, with `test.runIf(found)`. Where it is undefined, says so loudly, and the
 * tests are skipped; where BREAKWATER_CLIENTS is `required`, as in CI, throws, and the test file fails.
 */
export function foundOrSkipped<Found>(
  found: Found | undefined,
  options: {
    /** What the tests need: `Chromium`. */
    what: string
    /** Why it is not there, and what to do about it. */
    remedy: string
    env: NodeJS.ProcessEnv
    tell: (text: string) => void
  },
): Found | undefined {
  const { what, remedy, env, tell } = options
  if (found !== undefined) return found
  if (env.BREAKWATER_CLIENTS === 'required') {
    throw new Error(`BREAKWATER_CLIENTS=required, but ${what} is not there. ${remedy}`)
  }
  tell(`\n!!! SKIPPED: tests that need ${what}, which is not there. ${remedy}\n`)
  return undefined
}

/** For tests: programs of this machine that serve on a port. `printed` is their standard error up to `ready`. */
export type StartedServer = { printed: string; close(): Promise<void> }

/**
 * Starts a program in the foreground and resolves when its standard error matches `ready`: from then on it listens. Rejects with its
 * output if it ends before. The program inherits the sockets as descriptors 3, 4, …
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
      // What it prints from here on may be without end: it is read, so that the program can go on, and not kept.
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

/** A socket that listens already, for a program that cannot choose a port and print it. No other process can take its port. */
export type ListeningSocket = { port: number; fd: number; close(): void }

/** Listens on any free port of the host, until the socket is closed or a started program has inherited it. */
export async function listenOn(host: string): Promise<ListeningSocket> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  // as: the handle of a listening server, which has no public name
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  return { port, fd, close: () => void server.close() }
}
