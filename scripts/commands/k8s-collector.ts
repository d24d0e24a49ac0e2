import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  BreakwaterError,
  EXIT,
  type ExitCode,
  fileFailure,
  listenFailure,
} from '../../contract/breakwater-error.ts'
import { type Io, orInterrupted, untilInterrupted } from '../io.ts'
import { createCollector, TOKEN } from '../k8s/collect/create-collector.ts'
import { makeFolder } from '../make-folder.ts'

export type CollectorOptions = {
  io: Io
  /** IP address. */
  host: string
  port: number
  /** Created if missing. */
  dir: string
  tokenFile: string
  json?: true
}

/**
 * Runs until it is interrupted; SIGTERM is a success. Throws a BreakwaterError: usage for a bad option or file, environment for an
 * address that is unavailable.
 */
export async function runK8sCollector(options: CollectorOptions): Promise<ExitCode> {
  const { io, host, port, tokenFile } = options
  const dir = resolve(io.cwd, options.dir)
  const token = await orInterrupted(io.interrupted, readTokenFile(tokenFile, io.cwd))
  await makeFolder(dir, { hint: 'Set --dir to a folder that can be created and written to.' })
  const collector = await createCollector({ dir, token, host, port }).catch((cause) => {
    const { reason, hint } = listenFailure(cause, { host: '--host', port: '--port' })
    throw new BreakwaterError(`--port ${port}: ${reason}`, { hint, exitCode: EXIT.environment, cause })
  })
  try {
    const { url } = collector
    io.stdout(options.json ? JSON.stringify({ url, dir }) : `Collecting at ${url} into ${options.dir}`)
    await untilInterrupted(io.interrupted)
  } finally {
    await collector.close()
  }
  return io.interrupted.reason === 'SIGTERM' ? EXIT.ok : EXIT.interrupted
}

/** Throws a BreakwaterError (usage). */
async function readTokenFile(shown: string, cwd: string): Promise<string> {
  const text = await readFile(resolve(cwd, shown), 'utf8').catch((cause) => {
    throw new BreakwaterError(`--token-file ${shown}: cannot be read: ${fileFailure(cause)}`, { hint, cause })
  })
  if (TOKEN.test(text.trim())) return text.trim()
  throw new BreakwaterError(`--token-file ${shown}: contains no valid token`, { hint })
}

const hint =
  'Expected a file with 16 to 200 letters, digits or characters of ._~-, such as the output of `openssl rand -hex 16`.'
