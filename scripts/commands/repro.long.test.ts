// Real runs of cases: k6 against stubs in this process.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TimelineLine } from '../../contract/run.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { loadCase } from '../repro/load-case.ts'

const PLAY_MS_MAX = 120_000

test('a race has the same outcome whoever wins, and the timeline is stored', {
  timeout: PLAY_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const run = async (out: string) => {
    const { exitCode } = await runCommandLine(['repro', 'run', 'refresh-race-two-tabs', '--output', out], {
      cwd,
    })
    expect(exitCode).toBe(0)
    const lines = readTimeline(join(cwd, out))
    const written = readFileSync(join(cwd, out, 'findings.ndjson'), 'utf8').match(/^\{"timeline":1/gm)
    expect(lines).toHaveLength(written?.length ?? 0)
    return lines.filter(({ kind }) => kind === 'outcome').map(({ actor, text }) => `${actor}: ${text}`)
  }
  const outcomes = ['winner: refreshed, then got 200', 'loser-1: rejected with 409, then got 200']
  expect(await run('a')).toEqual(outcomes)
  expect(await run('b')).toEqual(outcomes)
})

test('in a storm, all sockets have the same outcome each time, and the verdict describes its course', {
  timeout: PLAY_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const { name: _name, ...storm } = await loadCase('reconnect-storm', cwd)
  const parameters = { ...storm.parameters, sockets: 30, backoffMs: 500 }
  writeFileSync(join(cwd, 'small-storm.json'), JSON.stringify({ ...storm, parameters }))
  const run = async (out: string) => {
    const { exitCode } = await runCommandLine(['repro', 'run', './small-storm.json', '--output', out], {
      cwd,
    })
    expect(exitCode).toBe(0)
    const lines = readTimeline(join(cwd, out))
    const [restores] = lines.filter(({ kind }) => kind === 'verdict')
    expect(restores?.text).toMatch(
      /^pass: 30 of 30 synchronized again; 50 % within .* s, 99 % within .* s, .*; [1-9]\d* of \d+ attempts failed; 30 of them got the change event$/,
    )
    expect(lines.filter(({ kind }) => kind === 'fault').length).toBeGreaterThan(0)
    return lines
      .filter(({ kind, actor }) => kind === 'outcome' && actor !== 'exchange')
      .map(({ actor, text }) => `${actor}: ${text}`)
      .sort()
  }
  const outcomes = await run('a')
  expect(outcomes).toHaveLength(30)
  expect(new Set(outcomes.map((line) => line.replace(/.*: /, '')))).toEqual(
    new Set(['reconnected with its room']),
  )
  expect(await run('b')).toEqual(outcomes)
})

test('--mutant makes it fail in report, summary and timeline', {
  timeout: PLAY_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const argv = ['repro', 'run', 'refresh-race-two-tabs', '--mutant', 'auth-refresh-loser-is-thief']
  const { exitCode, stdout } = await runCommandLine([...argv, '--seed', '5', '--output', 'run'], { cwd })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('fail  auth.refresh.race-survives')
  expect(stdout).toContain('Timeline: run/timeline.html\n')
  const read = (file: string) => readFileSync(join(cwd, 'run', file), 'utf8')
  expect(JSON.parse(read('run.json'))).toMatchObject({
    job: 'repro',
    seed: 5,
    mutant: 'auth-refresh-loser-is-thief',
    repro: { name: 'refresh-race-two-tabs' },
  })
  expect(readTimeline(join(cwd, 'run'))).toContainEqual(
    expect.objectContaining({ kind: 'verdict', rule: 'auth.refresh.race-survives' }),
  )
  expect(read('summary.md')).toContain('[timeline.html](timeline.html): ')
  expect(read('report.html')).toContain('<a href="timeline.html">Timeline</a>')
  expect(read('timeline.html')).toContain('<title>fail: Two tabs refresh at the same time</title>')
})

test('a saved case runs the probes of its rules, with a timeline', { timeout: PLAY_MS_MAX }, async () => {
  const cwd = temporaryFolder()
  const stub = { mutant: 'auth-refresh-two-winners' }
  const saved = { title: 'Mine', story: 'It failed.', rules: ['auth.refresh.race-one-winner'], stub }
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify(saved))
  const { exitCode, stdout } = await runCommandLine(
    ['repro', 'run', './mine.json', '--output', 'run', '--json'],
    {
      cwd,
    },
  )
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout).rules).toMatchObject([{ id: 'auth.refresh.race-one-winner', verdict: 'fail' }])
  const lines = readTimeline(join(cwd, 'run'))
  expect(
    lines.filter(({ actor, text }) => actor === 'time probes' && /auth\/refresh/.test(text)).length,
  ).toBeGreaterThan(1)
})

test('on a target without a control API, injects no faults, and passes no rule that depends on them', {
  timeout: PLAY_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile } = await givenStub(cwd)
  const target = writeProfile({ more: { control: null } })
  const env = { ...process.env, BREAKWATER_API_TOKENS: stub.apiTokens.join(',') }
  const argv = ['repro', 'run', 'html-429-here.json', '--target', target, '--output', 'run']
  const shown = JSON.parse(
    (await runCommandLine(['repro', 'show', 'refresh-race-two-tabs', '--json'])).stdout,
  )
  const { name: _name, ...data } = shown
  writeFileSync(join(cwd, 'html-429-here.json'), JSON.stringify({ ...data, faults: 'errors-503' }))
  const { exitCode, stdout } = await runCommandLine(argv, { cwd, env })
  expect(stdout).toContain('the faults of the case need a control API, and the target has none')
  expect(exitCode).toBe(3)
})

test('on a target with a control API, restores the world and removes all faults', {
  timeout: PLAY_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile, control } = await givenStub(cwd)
  const env = { ...process.env, BREAKWATER_CONTROL_TOKEN: stub.controlToken }
  const { name: _name, ...played } = await loadCase('slow-consumer', cwd)
  const parameters = { ...played.parameters, blocks: 3 }
  writeFileSync(join(cwd, 'short.json'), JSON.stringify({ ...played, parameters }))
  const argv = ['repro', 'run', './short.json', '--target', writeProfile(), '--output', 'run']
  const before = await control('/status')
  await runCommandLine(argv, { cwd, env })
  const after = await control('/status')
  expect(readTimeline(join(cwd, 'run')).map(({ text }) => text)).toContain(
    'the faults of one-slow-reader begin',
  )
  expect(await control('/faults')).toMatchObject({ faults: [] })
  expect(Number(after.nowMs) - Number(before.nowMs)).toBeLessThan(20_000)
})

function readTimeline(dir: string): TimelineLine[] {
  return readFileSync(join(dir, 'timeline.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
