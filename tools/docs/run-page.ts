import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { pageFiles } from './page-files.ts'
import { pageScript } from './page-script.ts'
import type { Reader } from './reader.ts'

/** What became of a line: its exit code, null where the page never came to it. */
export type LineRun = { line: string; exitCode: number | null }

/**
 * Runs lines of a page in a checkout of its own. `output` is all that they wrote. What still runs after `limitMs` is ended, and
 * with it all that the page started.
 */
export async function runPage(
  { path, text, lines }: { path: string; text: string; lines: readonly string[] },
  { reader, limitMs }: { reader: Reader; limitMs: number },
): Promise<{ lines: LineRun[]; output: string }> {
  const [rest, feed, control] = await freePorts()
  const child = spawn('bash', ['-c', pageScript(lines, { rest, feed, control })], {
    cwd: reader.checkout(basename(path, '.md'), pageFiles(text)),
    env: reader.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  const timer = setTimeout(end, limitMs)
  let output = ''
  let told = ''
  const [, stdout, stderr, results] = child.stdio
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  results?.on('data', (chunk) => {
    told += chunk
  })
  const exitCode = await new Promise<number | null>((done) => child.on('close', done))
  clearTimeout(timer)
  const codes = new Map(
    [...told.matchAll(/^(\d+) (\d+)$/gm)].map(([, index, code]) => [Number(index), Number(code)]),
  )
  // A line that ends the script tells nothing itself.
  const last = lines.findIndex((_, index) => !codes.has(index))
  if (exitCode !== null && lines[last]?.startsWith('exit ')) codes.set(last, exitCode)
  return { lines: lines.map((line, index) => ({ line, exitCode: codes.get(index) ?? null })), output }
}

/** Three that nobody listens on now. */
async function freePorts(): Promise<[number, number, number]> {
  const servers = await Promise.all(
    [0, 0, 0].map(
      () =>
        new Promise<ReturnType<typeof createServer>>((done) => {
          const server = createServer().listen(0, '127.0.0.1', () => done(server))
        }),
    ),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port) // as: it listens on TCP
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return ports as [number, number, number] // as: one of each
}
