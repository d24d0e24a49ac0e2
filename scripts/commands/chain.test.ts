import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CONFIG_SCOPES } from '../../simulator/chain/transaction.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'

type Line = {
  block: number
  transaction: string
  refused?: string
  event?: { kind: string; [field: string]: unknown }
}

async function run(line: string, cwd = temporaryFolder()) {
  return runCommandLine(['chain', ...line.split(' ')], { cwd })
}

async function runJson(line: string, cwd?: string) {
  const { exitCode, stdout, stderr } = await run(`${line} --json --quiet`, cwd)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout)
}

function readLines(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('checks the invariants with --check', async () => {
  const { stdout, exitCode } = await run('--world tiny --seed 7 --blocks 20 --check 100')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('\n6 invariants hold, checked 5 times\nevents sha256 ')
  expect(await runJson('--world tiny --blocks 1')).toMatchObject({ invariants: null })
})

test('prints one row per kind of event, and the hash of the events last', async () => {
  const { stdout, exitCode } = await run('--world tiny --seed 7 --blocks 20')
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^world tiny, seed 7: started in \d+ ms at block 300, 2026-01-05T05:00:00\.000Z$/)
  expect(lines[1]).toMatch(/^mined 20 blocks, [\d,]+\/s, to block 320, 2026-01-05T05:00:10\.000Z$/)
  expect(lines.slice(3, -2).map((line) => line.split(/ {2,}/)[0])).toEqual([
    'transactions',
    'swaps',
    'outputs claimed',
    'liquidity minted',
    'liquidity burnt',
    'liquidity collected',
    'pools launched',
    'revisions',
    'faucet claims',
    'refused',
  ])
  expect(lines[4]).toMatch(/^swaps +\d+ {2}[\d,]+ per second; 1 hop \d+, 2 hops \d+/)
  expect(lines[9]).toMatch(/^pools launched +2 {2}28 in total$/)
  expect(lines.at(-1)).toMatch(/^events sha256 [0-9a-f]{64}$/)
  expect(exitCode).toBe(0)
})

test('the same seed gives the same chain, as a table and as JSON', async () => {
  const line = '--world tiny --seed 7 --blocks 20'
  const { stdout } = await run(line)
  const result = await runJson(line)
  expect(result).toMatchObject({
    world: 'tiny',
    loaded: null,
    seed: 7,
    height: 320,
    pools: 28,
    events: null,
    dump: null,
  })
  expect(stdout).toContain(`\nevents sha256 ${result.eventsSha256}\n`)
  expect((await runJson('--world tiny --seed 8 --blocks 20')).eventsSha256).not.toBe(result.eventsSha256)
})

test('counts the events of the mined blocks as in the event file', async () => {
  const cwd = temporaryFolder()
  const { happened, events } = await runJson('--world churn --seed 7 --blocks 120 --events e.ndjson', cwd)
  const all = readLines(join(cwd, 'e.ndjson'))
  expect(events).toEqual({ file: 'e.ndjson', lines: all.length })
  expect(all[0]?.block).toBe(0)
  const newest = all.at(-1)?.block ?? 0
  const lines = all.filter(({ block }) => block > newest - 120)
  const of = (kind: string) => lines.flatMap(({ event }) => (event?.kind === kind ? [event] : []))
  const refusals = lines.flatMap(({ refused }) => (refused === undefined ? [] : [refused]))
  const times = (names: readonly unknown[]) => (name: unknown) =>
    names.filter((other) => other === name).length
  const hops = of('swapExecuted').map((swap) => (swap.hops as unknown[]).length)
  const deltas = of('liquidityChanged').map(({ liquidityDelta }) => BigInt(String(liquidityDelta)))
  const scopes = of('configChanged').map(({ changes }) => (changes as [{ scope: string }])[0].scope)
  expect(happened).toEqual({
    blocks: 120,
    transactions: new Set(lines.map(({ transaction }) => transaction)).size,
    swaps: {
      total: hops.length,
      byHops: { 1: times(hops)(1), 2: times(hops)(2), 3: times(hops)(3) },
      private: of('swapExecuted').filter(({ isPrivate }) => isPrivate).length,
    },
    claims: of('outputClaimed').length,
    liquidity: {
      minted: deltas.filter((delta) => delta > 0n).length,
      burnt: deltas.filter((delta) => delta < 0n).length,
      collected: of('positionCollected').length,
    },
    poolsLaunched: of('poolCreated').length,
    revisions: {
      total: scopes.length,
      byScope: Object.fromEntries(CONFIG_SCOPES.map((scope) => [scope, times(scopes)(scope)])),
    },
    faucetClaims: of('faucetClaimed').length,
    refused: {
      total: refusals.length,
      byCode: Object.fromEntries([...new Set(refusals)].map((code) => [code, times(refusals)(code)])),
    },
  })
  // The test is void if a count is zero.
  expect(
    Math.min(happened.swaps.private, happened.liquidity.burnt, scopes.length, refusals.length),
  ).toBeGreaterThan(0)
})

test('100 blocks are the same as 60 that are dumped and restored, and 40 more', async () => {
  const cwd = temporaryFolder()
  const whole = await runJson('--world tiny --seed 7 --blocks 100 --events whole.ndjson', cwd)
  await runJson('--world tiny --seed 7 --blocks 60 --dump half.dump --events first.ndjson', cwd)
  const rest = await runJson('--from-dump half.dump --blocks 40 --events second.ndjson --dump half.dump', cwd)
  const { eventsSha256, height, time, pools, revision } = whole
  expect(rest).toMatchObject({ eventsSha256, height, time, pools, revision })
  expect(rest).toMatchObject({ world: null, loaded: 'half.dump', seed: 7, happened: { blocks: 40 } })
  const text = (name: string) => readFileSync(join(cwd, name), 'utf8')
  expect(`${text('first.ndjson')}${text('second.ndjson')}`).toBe(text('whole.ndjson'))
  // The dump has been replaced by the later one.
  expect(await runJson('--from-dump half.dump --blocks 0', cwd)).toMatchObject({ eventsSha256, height })
})

test('without blocks, starts and dumps, and prints no rate and no table', async () => {
  const { stdout, cwd } = await run('--world tiny --seed 7 --blocks 0 --dump world.dump')
  expect(stdout.split('\n').map((line) => line.split(/[ :]/)[0])).toEqual(['world', 'wrote', 'events', ''])
  expect(await runJson('--from-dump world.dump --blocks 0', cwd)).toMatchObject({
    height: 300,
    blocksPerSecond: null,
    swapsPerSecond: null,
  })
})

const BAD_LINES: readonly { line: string; exitCode: number; says: RegExp }[] = [
  {
    line: '--world nowhere',
    exitCode: 2,
    says: /^breakwater: unknown world "nowhere"\n {2}Did you mean /,
  },
  {
    line: '--from-dump it --world tiny',
    exitCode: 2,
    says: /--from-dump cannot be used with --world/,
  },
  {
    line: '--from-dump it --seed 1',
    exitCode: 2,
    says: /--from-dump cannot be used with --seed/,
  },
  {
    line: '--from-dump nowhere',
    exitCode: 2,
    says: /^breakwater: nowhere: cannot be read: there is no such file/,
  },
  {
    line: '--from-dump folder',
    exitCode: 2,
    says: /^breakwater: folder: cannot be read: it is a folder, not a file/,
  },
  {
    line: '--from-dump other',
    exitCode: 2,
    says: /^breakwater: other: not a dump of a world/,
  },
  {
    line: '--from-dump other --events ./other',
    exitCode: 2,
    says: /--events and --from-dump name one file: \.\/other/,
  },
  { line: '--dump x --events x', exitCode: 2, says: /^breakwater: --events and --dump name one file: x\n/ },
  {
    line: '--dump nowhere/x',
    exitCode: 2,
    says: /^breakwater: nowhere\/x: cannot be written: there is no such/,
  },
  {
    line: '--events x --dump folder',
    exitCode: 2,
    says: /^breakwater: folder: cannot be written: it is a folder/,
  },
  {
    line: '--events other/x',
    exitCode: 2,
    says: /^breakwater: other\/x: cannot be written: a part of its path is a file/,
  },
  {
    line: '--world tiny --blocks 1 --events /dev/full',
    exitCode: 3,
    says: /^breakwater: \/dev\/full: .*the disk is full/,
  },
  {
    line: '--world tiny --blocks 1 --events x --dump /dev/full',
    exitCode: 3,
    says: /^breakwater: \/dev\/full: .*is full/,
  },
]

test.each(BAD_LINES)(
  'rejects `breakwater chain $line`, and leaves nothing',
  async ({ line, exitCode, says }) => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'folder'))
    writeFileSync(join(cwd, 'other'), '{"seed":7}\n')
    const result = await run(line, cwd)
    expect(result.stderr).toMatch(says)
    expect(result.exitCode).toBe(exitCode)
    expect(readdirSync(cwd)).toEqual(['folder', 'other'])
    expect(readFileSync(join(cwd, 'other'), 'utf8')).toBe('{"seed":7}\n')
  },
)

test('rejects dumps that are damaged, truncated, or of another version', async () => {
  const { cwd } = await run('--world tiny --blocks 0 --dump whole')
  const whole = readFileSync(join(cwd, 'whole'))
  const flipped = Buffer.from(whole)
  flipped.writeUInt8(flipped.readUInt8(1_000_000) ^ 1, 1_000_000)
  writeFileSync(join(cwd, 'flipped'), flipped)
  writeFileSync(join(cwd, 'cut'), whole.subarray(0, 1_000_000))
  writeFileSync(join(cwd, 'other'), whole.toString('latin1').replace('"version":', '"version":9'), 'latin1')
  const results = await Promise.all(
    ['flipped', 'cut', 'other'].map((name) => run(`--from-dump ${name}`, cwd)),
  )
  expect(results.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(Array(3).fill([2, '']))
  expect(results.map(({ stderr }) => stderr.split('\n')[1])).toEqual([
    '  The file is truncated or modified: copy or dump it again.',
    '  The file is truncated or modified: copy or dump it again.',
    '  Dump the world again with this release, or load it with the one that wrote it.',
  ])
})

test('reports its progress when interrupted, and leaves earlier files unchanged', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'e'), 'older')
  const abort = new AbortController()
  const argv = ['chain', '--world=tiny', '--blocks=999999999', '--events=e', '--dump=d']
  // Aborted from the event loop, like a signal, during mining.
  setImmediate(() => setImmediate(() => abort.abort()))
  const { exitCode, stdout, stderr } = await runCommandLine(argv, { cwd, interrupted: abort.signal })
  expect(stderr).toMatch(
    /^breakwater: interrupted after [0-9]*[05]0? of 999999999 blocks; no file was written\n$/,
  )
  expect(stdout).toBe('')
  expect(exitCode).toBe(130)
  expect(readdirSync(cwd)).toEqual(['e'])
  expect(readFileSync(join(cwd, 'e'), 'utf8')).toBe('older')
})

test.each([[['SIGINT']], [['SIGTERM']], [['SIGINT', 'SIGTERM', 'SIGHUP']]] as const)(
  'a process that receives %s while it writes leaves nothing',
  async (signals) => {
    const cwd = temporaryFolder()
    const argv = ['chain', '--world=tiny', '--blocks=999999999', '--events=e', '--dump=d']
    const child = spawn(process.execPath, [projectPath('scripts/breakwater.mjs'), ...argv], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const during = [/^d\.[0-9a-f-]{36}\.tmp$/, /^e\.[0-9a-f-]{36}\.tmp$/]
    // Mining has started once the file is longer than the history.
    await vi.waitFor(
      () =>
        expect(statSync(join(cwd, readdirSync(cwd)[1] ?? 'not there yet')).size).toBeGreaterThan(5_000_000),
      30_000,
    )
    expect(readdirSync(cwd)).toEqual(during.map((name) => expect.stringMatching(name)))
    for (const signal of signals) child.kill(signal)
    const ended = await new Promise((done) => child.on('close', (code, signal) => done(code ?? signal)))
    // The third signal kills it, which a shell shows as 130.
    expect(ended).toBe(signals.length === 1 ? 130 : 'SIGINT')
    expect(readdirSync(cwd)).toEqual([])
  },
)
