import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { projectPath } from '../../scripts/project.ts'

/** A compiled project script in a separate process that replies to each message with one. */
export type MeasuredProcess<Request> = {
  /** Rejects if the process exits before it replies. */
  send<Response>(request: Request): Promise<Response>
  end(): void
}

/** Resolves with the process and its first message, which means that it is ready. */
export async function startMeasured<Request extends object, Ready>(
  script: string,
): Promise<{ process: MeasuredProcess<Request>; ready: Ready }> {
  const compiled = await compileScript(script)
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: projectPath('.'),
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  child.stdin?.end(compiled)
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} exited with ${code}`)))
  })
  ended.catch(() => {}) // a requested exit is not an error
  const response = <Reply>() => Promise.race([nextMessage<Reply>(child), ended])
  const ready = await response<Ready>()
  return {
    ready,
    process: {
      send(request) {
        const responded = response<never>()
        child.send(request)
        return responded
      },
      end: () => child.disconnect(),
    },
  }
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as Message)) // as: that script's reply
  })
}

const PRINT_RSS = `
  process.stdout.write(String(process.resourceUsage().maxRSS))`

const TYPESCRIPT = ['--import', './tools/typescript.mjs']

/**
 * Runs a script in a separate process; what it prints must end with a whole line. Returns its duration, including the start of Node, and
 * peak memory. By default it can import this project's sources, which takes 28 MB more.
 */
export function runChild(
  script: string,
  env: Record<string, string>,
  node: readonly string[] = TYPESCRIPT,
): { wallMs: number; rssMb: number } {
  const startMs = performance.now()
  const child = spawnSync(process.execPath, [...node, '--input-type=module', '--eval', script + PRINT_RSS], {
    cwd: projectPath('.'),
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (child.status !== 0) throw new Error(`the measured process failed: ${child.stderr}`)
  return { wallMs: performance.now() - startMs, rssMb: Number(child.stdout.split('\n').at(-1)) / 1024 }
}

/** Measures each name once per round, in alternating order, so that changes on the machine affect all. Drops the first round. */
export async function inTurns<Name extends string, Seen>(
  names: readonly Name[],
  { rounds, measure }: { rounds: number; measure: (name: Name) => Promise<Seen> },
): Promise<Record<Name, Seen>[]> {
  const all: Record<Name, Seen>[] = []
  for (let round = 0; round <= rounds; round++) {
    const seen: Partial<Record<Name, Seen>> = {}
    for (const name of round % 2 === 0 ? names : names.toReversed()) seen[name] = await measure(name)
    if (round > 0) all.push(seen as Record<Name, Seen>) // as: the loop fills every key
  }
  return all
}

/** The median, with minimum and maximum in parentheses. */
export function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  return `${show(quantile(sorted, 0.5))} (${show(sorted[0])} to ${show(sorted.at(-1))})`
}

export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN
}

function show(value = Number.NaN): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
}

export type Server = { process: ChildProcess; pid: number; url: string }

const CONNECTIONS = 32

export function isWrkInstalled(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined
}

/** Requests per second, and the server's CPU per request in µs. */
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

/** User and system time so far: fields 14 and 15 of /proc/PID/stat, in ticks of 10 ms (man 5 proc). */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The script prints the URL first; the rest of that line is returned too. */
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

export async function stopServer({ process: child }: Server): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/**
 * In one module, as `npm run build` compiles. Loaded from its sources, a script would give each function a property with its name,
 * which takes 256 bytes for each closure.
 */
async function compileScript(script: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: projectPath('.'),
    entryPoints: [script],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    tsconfigRaw: '{}',
    plugins: [ownUrls],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** Keeps `import.meta` pointing at the sources. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => ({
      loader: 'ts',
      contents: readFileSync(file, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file))),
    }))
  },
}
