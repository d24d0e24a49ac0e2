import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Profile } from '../../contract/profile.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { projectPath } from '../../scripts/project.ts'
import { caseNames } from '../../scripts/repro/load-case.ts'
import {
  type Behind,
  type Change,
  findProxy,
  type ProxyName,
  REMEDIES,
  type SetUp,
  SILENT,
  startBehindProxy,
} from './behind-proxy.ts'

type ReportResult = (name: string, problem: string | undefined) => void

const INCONCLUSIVE_MAX_SHARE = 0.02

/**
 * Runs all rules behind each setup of nginx and HAProxy whose name contains `text`: healthy ones must have the verdicts of plain
 * HTTP, others may fail no rule. Also runs doctor, load and every case through the samples. For `npm run nightly`.
 */
export async function runBehindProxiesAtLength(report: ReportResult, text = ''): Promise<void> {
  for (const trial of allTrials().filter(({ name }) => name.includes(text))) {
    report(trial.name, await runTrial(trial))
  }
}

type Place = Behind & { folder: string }

type Trial = {
  name: string
  proxy: ProxyName
  setUp: SetUp
  look: (place: Place) => Promise<string | undefined>
}

function allTrials(): Trial[] {
  const proxies = Object.entries(SET_UPS) as [ProxyName, SetUps][] // as: its keys are the names
  return proxies.flatMap(([proxy, { healthy, faulty }]) => {
    const trial = (setUp: SetUp, what: string, check: Trial['look']): Trial => ({
      name: `behind ${proxy}, ${setUp.name}: ${what}`,
      proxy,
      setUp,
      look: check,
    })
    return [
      trial(SAMPLE, 'doctor, load and every case', tryCommands),
      ...[SAMPLE, ...healthy].map((setUp) => trial(setUp, 'verdicts as on plain HTTP', compareWithPlain)),
      ...faulty.map((setUp) => trial(setUp, 'no rule fails', expectNoFailure)),
    ]
  })
}

async function runTrial({ proxy, setUp, look }: Trial): Promise<string | undefined> {
  const binary = findProxy(proxy, process.env)
  if (binary === undefined) return `${proxy} was not found. ${REMEDIES[proxy]}`
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-proxy-'))
  const behind = await startBehindProxy({ setUp, proxy, binary, folder })
  try {
    return await look({ ...behind, folder })
  } finally {
    await behind.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Each rule must have its verdict on plain HTTP; a few may be inconclusive. */
async function compareWithPlain(place: Place): Promise<string | undefined> {
  const { baseUrl, wsUrl } = place.stub.profile
  const behind = await smoke(place, {})
  const plain = await smoke(place, { baseUrl, wsUrl, headers: {} })
  const wasPlain = new Map(plain.rules.map(({ id, verdict }) => [id, verdict]))
  const others = behind.rules.filter(({ id, verdict }) => verdict !== wasPlain.get(id))
  const open = others.filter(({ verdict }) => verdict === 'inconclusive')
  const isFew = open.length <= behind.rules.length * INCONCLUSIVE_MAX_SHARE
  const wrong = isFew ? others.filter((rule) => !open.includes(rule)) : others
  return formatRules(wrong)
}

async function expectNoFailure(place: Place): Promise<string | undefined> {
  const report = await smoke(place, {})
  return formatRules(report.rules.filter(({ verdict }) => verdict === 'fail'))
}

/** Doctor must find no problem, a load must meet its objective, and no case may fail a rule. */
async function tryCommands(place: Place): Promise<string | undefined> {
  const doctor = await run(place, ['doctor'])
  const load = await run(place, ['load', '--rate', '50', '--duration', '10s', '--slo', 'own'])
  const problems = [doctor, load].flatMap(({ exitCode, output }) => (exitCode === 0 ? [] : [output]))
  for (const name of caseNames()) {
    const { report, output } = await run(place, ['repro', 'run', name])
    const problem =
      report === undefined ? output : formatRules(report.rules.filter(({ verdict }) => verdict === 'fail'))
    console.log(`  ${name}: ${report === undefined ? 'no report' : formatCounts(report)}`)
    if (problem !== undefined) problems.push(`${name}: ${problem}`)
  }
  return problems.length === 0 ? undefined : problems.join('\n')
}

async function smoke(place: Place, more: Partial<Profile>): Promise<Report> {
  place.writeProfile(more)
  const startMs = Date.now()
  const { report, output } = await run(place, ['smoke', '--no-load'])
  if (report === undefined) throw new Error(`the run wrote no report: ${output}`)
  const seconds = Math.round((Date.now() - startMs) / 1000)
  console.log(`  ${'baseUrl' in more ? 'plain' : 'behind the proxy'}: ${formatCounts(report)}; ${seconds} s`)
  return report
}

type Ran = { exitCode: number; output: string; report: Report | undefined }

async function run({ folder, env }: Place, argv: readonly string[]): Promise<Ran> {
  const out = join(folder, 'ran')
  await rm(out, { recursive: true, force: true })
  const outputs = argv[0] === 'doctor' ? [] : ['--output', out]
  const command = [projectPath('scripts/breakwater.mjs'), ...argv, '--target', 'profile.json', ...outputs]
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, command, {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  const text = await readFile(join(out, 'report.json'), 'utf8').catch(() => undefined)
  const report = text === undefined ? undefined : reportSchema.parse(JSON.parse(text))
  return { exitCode: code, output: `${stdout}${stderr}`.slice(-4000), report }
}

function formatCounts({ rules }: Report): string {
  const counts = new Map<string, number>()
  for (const { verdict } of rules) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  return [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')
}

/** The first of them: behind a proxy that serves nothing, all rules are inconclusive. */
function formatRules(rules: Report['rules']): string | undefined {
  const lines = rules
    .slice(0, SHOWN_MAX)
    .map(({ id, verdict, reason, observed }) => `${id} ${verdict}: ${reason ?? observed}`)
  return lines.length === 0 ? undefined : [`${rules.length} rules`, ...lines].join('\n')
}

const SHOWN_MAX = 5

type SetUps = {
  /** A correct exchange has the same verdicts behind these as without a proxy. */
  healthy: readonly SetUp[]
  /** These cause errors: rules become inconclusive, but none may fail. */
  faulty: readonly SetUp[]
}

const NO_LISTENER = '127.0.0.1:1'

export const SAMPLE: SetUp = { name: 'the sample', changes: [] }

/** The Date header is that of nginx, which has another clock. */
export const OWN_DATE: SetUp = {
  name: 'nginx sends its own Date',
  changes: [['proxy_pass_header Date;', '']],
}

const NGINX: SetUps = {
  healthy: [
    { name: 'TLS 1.2 alone', changes: [['TLSv1.2 TLSv1.3', 'TLSv1.2']] },
    { name: 'TLS 1.3 alone', changes: [['TLSv1.2 TLSv1.3', 'TLSv1.3']] },
    {
      name: 'neither TLS nor HTTP/2',
      changes: [
        [' ssl http2;', ';'],
        [' ssl;', ';'],
      ],
      plain: true,
    },
    {
      name: 'HTTP/1.1, each response with Connection: close',
      changes: [
        ['ssl http2;', 'ssl;'],
        ['65s', '0'],
      ],
    },
    {
      name: 'HTTP/2, a GOAWAY after ten requests',
      changes: [['keepalive_requests  1000', 'keepalive_requests 10']],
    },
    {
      name: 'HTTP/2, a GOAWAY after 50 ms of quiet',
      changes: [['keepalive_timeout   65s', 'keepalive_timeout 50ms']],
    },
  ],
  faulty: [
    { name: 'one backend in ten is down: 502', changes: oneInTenOfNginx(NO_LISTENER) },
    { name: 'one backend in ten is silent: 504', changes: oneInTenOfNginx(SILENT) },
    {
      name: 'sockets are cut after 2 s of silence',
      changes: [['proxy_read_timeout 75s', 'proxy_read_timeout 2s']],
    },
  ],
}

const HAPROXY: SetUps = {
  healthy: [
    { name: 'TLS 1.2 alone', changes: everyBind('ssl-max-ver TLSv1.2') },
    { name: 'TLS 1.3 alone', changes: everyBind('ssl-min-ver TLSv1.3') },
    {
      name: 'HTTP/1.1, each response with Connection: close',
      changes: [
        ['alpn h2,http/1.1', 'alpn http/1.1'],
        ['mode http', 'mode http\n    option httpclose'],
      ],
    },
    {
      name: 'HTTP/2, a GOAWAY after a second of quiet',
      changes: [['timeout client  65s', 'timeout client 65s\n    timeout http-keep-alive 1s']],
    },
  ],
  faulty: [
    { name: 'one backend in ten is down: 503', changes: oneInTenOfHaproxy(NO_LISTENER) },
    { name: 'one backend in ten is silent: 504', changes: oneInTenOfHaproxy(SILENT) },
    { name: 'sockets are cut after 2 s of silence', changes: [['timeout tunnel  75s', 'timeout tunnel 2s']] },
  ],
}

const SET_UPS: Readonly<Record<ProxyName, SetUps>> = { nginx: NGINX, haproxy: HAPROXY }

/** Adds a bad backend with a tenth of the weight. Without these options, nginx would retry the good one and then skip the bad one. */
function oneInTenOfNginx(server: string): readonly Change[] {
  const [good, bad] = ['server 127.0.0.1:8080 weight=9 max_fails=0;', `server ${server} max_fails=0;`]
  return [
    ['server 127.0.0.1:8080;', `${good}\n    ${bad}`],
    ['proxy_read_timeout 8s;', 'proxy_read_timeout 500ms;\n        proxy_next_upstream off;'],
  ]
}

function oneInTenOfHaproxy(server: string): readonly Change[] {
  const [good, bad] = ['server rest1 127.0.0.1:8080 weight 9', `server rest2 ${server} weight 1`]
  return [
    ['server rest1 127.0.0.1:8080', `retries 0\n    ${good}\n    ${bad}`],
    ['timeout server  8s', 'timeout server 500ms'],
  ]
}

function everyBind(versions: string): readonly Change[] {
  const change: Change = ['ssl-min-ver TLSv1.2', versions]
  return [change, change]
}
