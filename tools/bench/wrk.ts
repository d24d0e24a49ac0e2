import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { projectPath } from '../../scripts/project.ts'

/** A server in a process of its own, to be asked by wrk. */
export type Server = { process: ChildProcess; pid: number; url: string }

const CONNECTIONS = 32

/** Whether wrk can be started here. */
export function isWrkThere(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined
}

/** Requests a second, and microseconds of the server’s CPU for each. */
export function wrk(
  server: Server,
  path: string,
  options: { seconds: number; script?: string; headers?: readonly string[] },
): { perSecond: number; cpuUs: number } {
  const { seconds, script, headers = [] } = options
  const scripted = script === undefined ? [] : ['-s', projectPath(script)]
  const args = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    ...scripted,
    ...headers.flatMap((header) => ['-H', header]),
    `${server.url}${path}`,
  ]
  const cpuBeforeMs = cpuMs(server.pid)
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' })
  const cpuSpentMs = cpuMs(server.pid) - cpuBeforeMs
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  if (!requests || stdout.includes('Non-2xx')) throw new Error(`wrk ${args.join(' ')}: ${stdout}`)
  return { perSecond: requests / seconds, cpuUs: (cpuSpentMs * 1000) / requests }
}

/** User and system time of the process so far: fields 14 and 15 of its stat, in ticks of 10 ms (man 5 proc). */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The script prints the URL as its first line; what follows on that line is given as well. */
export async function startServer(
  script: string,
  env: Record<string, string>,
): Promise<Server & { more: string }> {
  const child = spawn(
    process.execPath,
    ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', script],
    {
      cwd: projectPath('.'),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [line] = await once(child.stdout, 'data')
  const [url = '', more = ''] = String(line).trim().split(' ')
  return { process: child, pid: child.pid ?? 0, url, more }
}

/** Stops a server, and returns once its process has ended. */
export async function stopServer({ process: child }: Server): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
