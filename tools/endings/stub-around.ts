import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCommand } from './play-folder.ts'

/** A stub that runs beside the commands, and the files that commands need. */
export type StubAround = {
  control: string
  controlToken: string
  /** The folder that holds stub.json, its profile and wallets. */
  folder: string
  close(): Promise<void>
}

/** Starts `breakwater stub`, with its profile in `folder`. Rejects if it ends before it serves. */
export async function startStubAround(folder: string): Promise<StubAround> {
  const anyPorts = ['--port', '0', '--feed-port', '0', '--control-port', '0']
  const child = startCommand(['stub', ...anyPorts, '--profile', 'stub.json', '--json'], {
    folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = await Promise.race([
    once(child.stdout ?? child, 'data').then(([chunk]) => String(chunk)),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`stub exited with ${code}`))),
  ])
  const { controlToken } = JSON.parse(printed) as { controlToken: string } // as: what --json prints
  const { control } = JSON.parse(readFileSync(join(folder, 'stub.json'), 'utf8')) as { control: string } // as: its profile
  return {
    control,
    controlToken,
    folder,
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
