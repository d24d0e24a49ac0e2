import { createHash } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EXIT } from '../contract/breakwater-error.ts'
import type { Finding } from '../contract/finding.ts'
import { reportSchema } from '../contract/report.ts'
import { RULES } from '../contract/rules.ts'
import type { Run } from '../contract/run.ts'
import { IN_FULL } from '../tools/test/tree-sample.ts'
import { renderRun } from './render-run.ts'
import { makeSyntheticRun, SYNTHETIC_START } from './synthetic-run.ts'

const HELD = RULES[0]?.id ?? ''
const BROKEN = RULES[1]?.id ?? ''
const SLO = { name: 'test', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 100 }] }
const SERIES = ['http_req_duration', 'http_req_waiting'].map((metric) => ({
  metric,
  type: 'trend' as const,
  tags: { name: 'GET /pools', route_group: 'pools' },
}))

const POINT = { time: SYNTHETIC_START, contains: 'default' }

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('writes exactly the four files of a passed run', async () => {
  await makeRun({ run: { rules: [HELD], slo: SLO }, findings: [finding({})] })
  const report = await renderRun({ dir, nowMs: 0 })
  expect(report).toMatchObject({ version: 1, job: 'smoke', verdict: 'pass', exitCode: 0, notes: [] })
  expect((await readdir(dir)).sort()).toEqual([
    'findings.ndjson',
    'junit.xml',
    'report.html',
    'report.json',
    'run.json',
    'series.ndjson',
    'summary.md',
  ])
  expect(reportSchema.parse(JSON.parse(await read('report.json')))).toEqual(report)
})

test('writes the same bytes again', async () => {
  await makeRun({ run: { rules: [HELD] }, findings: [finding({})] })
  const rendered = async () => {
    await renderRun({ dir, nowMs: 0 })
    return Promise.all(['report.html', 'report.json', 'junit.xml', 'summary.md'].map(read))
  }
  expect(await rendered()).toEqual(await rendered())
})

test.each([
  { ends: { completed: 40 }, notes: [] },
  {
    ends: { completed: 40, 'sign-in-failed': 3, unauthorized: 1 },
    notes: [
      '3 of 44 clients of the mix could not sign in and 1 left because they were unauthorized (401, 403): the load was lower than the mix specifies.',
    ],
  },
])('reports clients of a mix that were rejected: $ends', async ({ ends, notes }) => {
  await makeRun({ run: { rules: [HELD] }, findings: [finding({})] })
  const series = await read('series.ndjson')
  const [header = '', ...others] = series.split('\n')
  const lines = Object.entries(ends).map(([end, sum]) =>
    JSON.stringify({ ...POINT, metric: 'mix_clients', type: 'counter', count: sum, sum, tags: { end } }),
  )
  await writeFile(path.join(dir, 'series.ndjson'), [header, ...lines, ...others].join('\n'))
  expect((await renderRun({ dir })).notes).toEqual(notes)
})

test('writes only the requested formats', async () => {
  await makeRun({})
  await renderRun({ dir, formats: ['md', 'junit'] })
  expect((await readdir(dir)).filter((name) => !/^(run|findings|series)\./.test(name)).sort()).toEqual([
    'junit.xml',
    'summary.md',
  ])
})

test('given objectives replace those of the run', async () => {
  await makeRun({ run: { rules: [HELD], slo: SLO }, findings: [finding({})] })
  const slo = { name: 'stricter', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 1 }] }
  const report = await renderRun({ dir, slo })
  expect([report.slo?.name, report.verdict, report.exitCode]).toEqual(['stricter', 'fail', 1])
})

test('renders a killed run with its failures, incomplete in every format', async () => {
  const run = { state: 'running', finishedAt: null, k6: null, rules: [HELD, BROKEN], slo: SLO } as const
  await makeRun({ run: { ...run, rules: [...run.rules] }, findings: [finding({ verdict: 'fail' })] })
  await truncate(path.join(dir, 'series.ndjson'), 2000)
  await appendFile(path.join(dir, 'findings.ndjson'), '{"finding":1,"ru')
  const report = await renderRun({ dir })
  expect(report).toMatchObject({ verdict: 'interrupted', exitCode: 130, generator: { complete: false } })
  expect(report.rules.map(({ verdict }) => verdict)).toEqual(['fail', 'inconclusive'])
  expect(report.notes).toEqual([
    'The run was interrupted: the rest was not judged.',
    'run.json still says "running": the command was killed or has not finished.',
    expect.stringMatching(/^series\.ndjson breaks off in the middle of line \d+: that line was not read\.$/),
    'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.',
    'findings.ndjson ends in the middle of a line: a finding may be missing.',
  ])
  expect(await read('report.html')).toContain('<title>interrupted: smoke of synthetic</title>')
  expect(await read('summary.md')).toContain('# Breakwater smoke: interrupted')
  expect(await read('junit.xml')).toContain('<error message="The run was interrupted')
})

test('a folder without run.json is a usage error that says what a run folder is', async () => {
  await expect(renderRun({ dir })).rejects.toMatchObject({
    message: `${dir}: not a run folder: run.json is missing`,
    hint: expect.stringContaining('Use a folder that a run wrote'),
    exitCode: EXIT.usage,
  })
})

test('a folder of a hunt has no run.json, and the error names its report', async () => {
  await writeFile(path.join(dir, 'hunt.html'), '')
  await expect(renderRun({ dir })).rejects.toMatchObject({
    message: `${dir}: not a run folder: run.json is missing`,
    hint: `Its report is ${dir}/hunt.html: open that file.`,
  })
})

test('an invalid run.json is reported with the path in it', async () => {
  await writeFile(path.join(dir, 'run.json'), '{"version": 2}')
  await expect(renderRun({ dir })).rejects.toMatchObject({
    message: expect.stringContaining('version: '),
    exitCode: EXIT.usage,
  })
})

test('a file instead of a folder is a usage error that says what a run folder is', async () => {
  await makeRun({})
  await expect(renderRun({ dir: path.join(dir, 'run.json') })).rejects.toMatchObject({
    message: `${dir}/run.json: is a file, not a run folder`,
    hint: 'Expected a folder that contains run.json.',
    exitCode: EXIT.usage,
  })
})

test.each([
  { what: 'half', text: '{"version": 1, "id', reason: 'not JSON: ' },
  { what: 'empty', text: '', reason: 'the file is empty' },
])('reports that a run.json is $what', async ({ text, reason }) => {
  await writeFile(path.join(dir, 'run.json'), text)
  await expect(renderRun({ dir })).rejects.toMatchObject({
    message: expect.stringContaining(`${dir}/run.json: cut short or damaged: ${reason}`),
    exitCode: EXIT.usage,
  })
})

test.each(['series.ndjson', 'findings.ndjson'])('a folder named %s is a usage error', async (name) => {
  await makeRun({})
  await rm(path.join(dir, name))
  await mkdir(path.join(dir, name))
  await expect(renderRun({ dir })).rejects.toMatchObject({
    message: `${dir}/${name}: cannot be read: it is a folder, not a file`,
    hint: expect.stringContaining('Restore it, or delete it'),
    exitCode: EXIT.usage,
  })
})

test('the page blocks the network and allows only its own scripts and styles', async () => {
  await makeRun({})
  await renderRun({ dir })
  const page = await read('report.html')
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ''
  const hashMatches = (pattern: RegExp) =>
    [...page.matchAll(pattern)].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    )
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hashMatches(/<script>(.*?)<\/script>/gs).join(' ')}`,
    `style-src ${hashMatches(/<style>(.*?)<\/style>/gs).join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ])
  expect(page).not.toMatch(/(src|href)="(?!#)|url\(|@import/)
})

const hostile = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    ']]>',
    '<!--',
    '&lt;',
  ),
)

test('escapes hostile names in every format', async () => {
  const rendered = async (name: string) => {
    await makeRun({
      run: {
        rules: [BROKEN],
        slo: { name, objectives: [{ routeGroup: name, errorRateMax: 0 }] },
        target: { name, baseUrl: name, wsUrl: name, control: false },
        mutant: name,
        command: `breakwater '${name.replaceAll("'", "'\\''")}'`,
      },
      findings: [
        finding({
          rule: BROKEN,
          verdict: 'fail',
          expected: name,
          observed: name,
          evidence: [name],
          reason: name,
        }),
      ],
      name,
    })
    await renderRun({ dir, nowMs: 0 })
    const [page, junit] = await Promise.all([read('report.html'), read('junit.xml')])
    return { page, junit, tags: [page, junit].map((text) => text.split('<').length) }
  }
  const harmless = await rendered('harmless')
  await fc.assert(
    fc.asyncProperty(hostile, async (name) => {
      const { tags, junit } = await rendered(name)
      expect(tags).toEqual(harmless.tags)
      expect(junit).not.toMatch(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|\p{Cs}/u)
    }),
    { seed: 1, numRuns: IN_FULL ? 40 : 12 },
  )
})

test('inconclusive is an error in JUnit with --strict, else skipped', async () => {
  const rendered = async (strict: boolean) => {
    await makeRun({
      run: { strict, rules: [HELD, BROKEN] },
      findings: [finding({}), finding({ rule: BROKEN, verdict: 'inconclusive', reason: 'no witness' })],
    })
    await renderRun({ dir, formats: ['junit'] })
    return /<(\w+) message="inconclusive: no witness">/.exec(await read('junit.xml'))?.[1]
  }
  expect([await rendered(true), await rendered(false)]).toEqual(['error', 'skipped'])
})

function makeRun(options: { run?: Partial<Run>; findings?: Finding[]; name?: string }): Promise<void> {
  const series = SERIES.map((each) => ({
    ...each,
    tags: { ...each.tags, name: options.name ?? each.tags.name },
  }))
  return makeSyntheticRun({ dir, seed: 1, seconds: 10, samplesPerSecond: 30, series, ...options })
}

function finding(options: Partial<Finding>): Finding {
  const common = { finding: 1, rule: HELD, verdict: 'pass', expected: '400', observed: '200' } as const
  return { ...common, evidence: [], scenario: 's', at: 0, ...options }
}

function read(name: string): Promise<string> {
  return readFile(path.join(dir, name), 'utf8')
}
