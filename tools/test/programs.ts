import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, isAbsolute, join } from 'node:path'

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

/** For tests: programs of this machine that serve on a port. */
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
