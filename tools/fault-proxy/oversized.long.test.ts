// A target that sends too much: doctor reports it, and a run reports it and stays small. A sample of each kind; `npm run
// nightly` has all.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { reportSchema } from '../../contract/report.ts'
import { bundleScript } from '../../scripts/k6/bundle-script.ts'
import { k6Args } from '../../scripts/k6/k6-args.ts'
import { runK6 } from '../../scripts/k6/run-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { withScenarioConfig } from '../../scripts/runs/scenario-config.ts'
import { oneTarget } from '../../scripts/runs/worlds.ts'
import { sideBySide } from '../side-by-side.ts'
import { cachedK6 } from '../test/given-stub.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { sampleByTree } from '../test/tree-sample.ts'
import { OVERSIZED, OVERSIZED_MESSAGES, startHostileServer } from './hostile-server.ts'

const k6 = await cachedK6()
const RUN_MS_MAX = 120_000
/** Without limits, each took gigabytes. `messages without end` takes the most: a probe keeps what it receives. */
const PEAK_MB_MAX = 1500

const LONG = 'the response body is longer than 8 MiB'
const DEEP = 'JSON nested deeper than 1000 levels'
const MANY = 'JSON of more than 100000 values'

const BODIES: readonly { name: keyof typeof OVERSIZED; doctor: string; error: string }[] = [
  { name: 'a gzip body of 300 MiB', doctor: LONG, error: LONG },
  { name: 'an endless body', doctor: LONG, error: LONG },
  { name: 'an endless gzip body', doctor: LONG, error: LONG },
  { name: 'JSON of 5 million levels', doctor: LONG, error: `the response body is ${DEEP}` },
  {
    name: 'JSON of 100,000 levels',
    doctor: `returned 200 with ${DEEP}`,
    error: `the response body is ${DEEP}`,
  },
  {
    name: 'JSON of 2 million objects',
    doctor: `returned 200 with ${MANY}`,
    error: `the response body is ${MANY}`,
  },
]

const DIAGNOSED = [
  ...BODIES.map(({ name, doctor }) => ({
    name,
    says: `exchange GET BASE/tokens: ${doctor}: that is no exchange`,
  })),
  { name: 'endless headers', says: 'rest GET BASE/health: Parse Error: Header overflow' },
] as const

test('doctor reports the problem of each', { timeout: RUN_MS_MAX }, async () => {
  const sample = sampleByTree(DIAGNOSED, 3)
  const diagnosed = await each(sample, async ({ name }) => {
    const { cwd, baseUrl } = await serve({ body: name })
    const { exitCode, stdout } = await runCommandLine(['doctor', '--target', 'profile.json'], { cwd })
    const problems = stdout.split('\n').filter((line) => line.startsWith('problem'))
    const says = problems.map((line) => line.replace(/^problem +(\w+) +/, '$1 ').replace(baseUrl, 'BASE'))
    return { name, exitCode, says }
  })
  expect(diagnosed).toEqual(sample.map(({ name, says }) => ({ name, exitCode: 3, says: [says] })))
})

const REQUESTED = [
  ...BODIES,
  {
    name: 'endless headers',
    error: 'net/http: server response headers exceeded 1048576 bytes; aborted',
  },
] as const

test.runIf(k6)('a request to each has no usable response', { timeout: RUN_MS_MAX }, async () => {
  const body = `
    const reply = await send(world('main'), { method: 'GET', path: '/auth/challenge' })
    const { status, text, json } = reply
    console.log(JSON.stringify({ status, text, json: json ?? null, evidence: reply.evidence() }))`
  const requested = await each(REQUESTED, async ({ name }) => {
    const { folder, profile } = await serve({ body: name })
    return runScript(folder, profile, { imports: { send: 'scenarios/lib/requests/request.ts' }, body })
  })
  expect(requested).toEqual(
    REQUESTED.map(({ error }) => {
      const evidence = `GET /auth/challenge -> no response (${error}) `
      return { exitCode: 0, said: [{ status: 0, text: '', json: null, evidence }], large: [] }
    }),
  )
})

const TOO_LONG = {
  code: 1009,
  reason: 'closed by the client: the message is too long, or the client too busy to read it',
}

const HEARD: readonly {
  name: keyof typeof OVERSIZED_MESSAGES
  closed: typeof TOO_LONG | null
  first: string | null
}[] = [
  { name: 'a message of 300 MiB', closed: TOO_LONG, first: null },
  { name: 'a message in fragments without end', closed: TOO_LONG, first: null },
  { name: 'messages without end', closed: TOO_LONG, first: '{"type":"Noise"}' },
  { name: 'a message of 100,000 levels', closed: null, first: `<${DEEP}>` },
  { name: 'a message of a million levels', closed: null, first: `<${DEEP}>` },
  {
    name: 'compressed messages, which were not negotiated',
    closed: {
      code: 1002,
      reason: 'closed by the client: the server uses an extension that was not offered',
    },
    first: null,
  },
]

test.runIf(k6)('a feed of each closes, or reports what it received', { timeout: RUN_MS_MAX }, async () => {
  const body = `
    const feed = await openFeed(world('main'))
    await feed.until(() => feed.received[0]?.text.startsWith('<'), 60000)
    console.log(JSON.stringify({ closed: feed.closed() ?? null, first: feed.received[0]?.text ?? null }))
    feed.close()`
  const sample = sampleByTree(HEARD, 2)
  const heard = await each(sample, async ({ name }) => {
    const { folder, profile } = await serve({ message: name })
    return runScript(folder, profile, { imports: { openFeed: 'scenarios/lib/feed/feed.ts' }, body })
  })
  expect(heard).toEqual(sample.map(({ name: _, ...said }) => ({ exitCode: 0, said: [said], large: [] })))
})

test.runIf(k6)('a handshake of endless headers fails', { timeout: RUN_MS_MAX }, async () => {
  const { folder, profile } = await serve({ message: 'endless headers' })
  const body = `
    const why = await openFeedOnce(world('main')).catch((error) => error.message)
    console.log(JSON.stringify(why))`
  const ran = await runScript(folder, profile, {
    imports: { openFeedOnce: 'scenarios/lib/feed/feed.ts' },
    body,
  })
  const why = `the socket did not open: websocket: close 1009 (message too big): ${TOO_LONG.reason}`
  expect(ran).toEqual({ exitCode: 0, said: [why], large: [] })
})

test.runIf(k6).each(['a gzip body of 300 MiB', 'JSON of 5 million levels'] as const)(
  'smoke: $0',
  { timeout: RUN_MS_MAX },
  async (name) => {
    const { folder, cwd } = await serve({ body: name })
    const large = watchMemory()
    const argv = [
      'smoke',
      '--target',
      'profile.json',
      '--no-load',
      '--rules',
      'protocol.*',
      '--output',
      folder,
    ]
    const { exitCode } = await runCommandLine(argv, { cwd })
    const report = reportSchema.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')))
    const { error } = BODIES.find((one) => one.name === name) ?? {}
    expect(new Set(report.rules.map(({ verdict, reason }) => `${verdict}: ${reason}`))).toEqual(
      new Set([
        `inconclusive: after 3 attempts: GET /pools -> no response (${error})  (no other request is served either)`,
      ]),
    )
    expect([exitCode, report.run.state, large()]).toEqual([3, 'finished', []])
  },
)

/** Runs at most four at a time. */
async function each<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  await sideBySide([...items.entries()], 4, async ([index, item]) => {
    results[index] = await run(item)
  })
  return results
}

type Sent = { body?: keyof typeof OVERSIZED; message?: keyof typeof OVERSIZED_MESSAGES }

async function serve({ body = 'an endless body', message }: Sent) {
  const server = await startHostileServer(OVERSIZED[body], '', message && OVERSIZED_MESSAGES[message])
  onTestFinished(() => server.close())
  const baseUrl = `http://${server.address}`
  const profile = { name: 'oversized', baseUrl, wsUrl: `ws://${server.address}` }
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'profile.json'), JSON.stringify(profile))
  return { cwd, baseUrl, profile: profileSchema.parse(profile), folder: temporaryFolder() }
}

async function runScript(
  folder: string,
  profile: ReturnType<typeof profileSchema.parse>,
  { imports, body }: { imports: Record<string, string>; body: string },
) {
  const at = (name: string) => join(folder, name)
  const lines = Object.entries({ ...imports, world: 'scenarios/lib/config.ts' }).map(
    ([name, file]) => `import { ${name} } from '${projectPath(file)}'`,
  )
  writeFileSync(at('script.k6.ts'), `${lines.join('\n')}\nexport default async function () {${body}}\n`)
  const { file } = await bundleScript({ script: at('script.k6.ts'), folder })
  const target = { profile, wallets: [], apiTokens: [], controlToken: null }
  const plan = {
    seed: 1,
    rules: [],
    slow: false,
    mix: null,
    target,
    durationSecondsMax: 60,
    requestsMax: null,
    refuses: { writes: null, load: null },
  }
  const large = watchMemory()
  const findingsFile = at('said')
  const { exitCode } = await withScenarioConfig(
    { worlds: oneTarget(target).byName, plan, env: process.env, ca: null },
    (env) =>
      runK6({
        binary: k6,
        args: k6Args({ script: file, seriesFile: at('series'), findingsFile }),
        env,
        cwd: folder,
        deadlineMs: RUN_MS_MAX,
        graceMs: 5000,
        stdoutFile: at('stdout'),
        stderrFile: at('stderr'),
      }),
  )
  const said = readFileSync(findingsFile, 'utf8').trim().split('\n')
  return { exitCode, said: said.map((line) => JSON.parse(line)), large: large() }
}

/** Watches the peak memory of each k6 that this process starts; returns those above the limit, in MB. */
function watchMemory(): () => number[] {
  const peaks = new Map<string, number>()
  const check = () => {
    for (const pid of children())
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        const peakKb = /^Name:\tk6$/m.test(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] : undefined
        if (peakKb !== undefined) peaks.set(pid, Number(peakKb) / 1024)
      } catch {
        // The process has exited.
      }
  }
  const timer = setInterval(check, 10)
  return () => {
    clearInterval(timer)
    // NaN if no process was seen.
    return peaks.size === 0 ? [Number.NaN] : [...peaks.values()].filter((peakMb) => peakMb > PEAK_MB_MAX)
  }
}

function children(): string[] {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
}
