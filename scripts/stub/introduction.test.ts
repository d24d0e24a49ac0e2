import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { sampleByTree } from '../../tools/test/tree-sample.ts'
import { NO_TERMINAL } from '../io.ts'
import { projectPath } from '../project.ts'

const command = `${process.execPath} ${projectPath('scripts/breakwater.mjs')}`
const hasCurl = spawnSync('curl', ['--version']).status === 0

const stubs = Object.keys(CHOICE_SETS).flatMap((choices) => [
  { name: `the choices ${choices}, over plain HTTP`, choices, options: [] as string[] },
  { name: `the choices ${choices}, over TLS`, choices, options: ['--tls'] as string[] },
])

test.runIf(hasCurl).each(sampleByTree(stubs, 1))(
  'with $name, every line to try works; SIGTERM ends all in good order',
  {
    timeout: 60_000,
  },
  async ({ choices, options }) => {
    const up = start(process.execPath, [
      projectPath('scripts/breakwater.mjs'),
      ...['stub', '--port=0', '--feed-port=0', '--control-port=0', '--show-tokens'],
      ...['--choices', choices, ...options],
    ])
    const printed = await linesUntil(up, (line) => line === 'Press Ctrl-C to stop.')
    const toTry = printed.filter((line) => line.startsWith('  ')).map((line) => line.trim())
    const curls = toTry.filter((line) => line.startsWith('curl'))
    const responses = curls.map((line) =>
      JSON.parse(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout),
    )
    expect(responses).toMatchObject([
      { data: [{ key: expect.any(String) }, {}] },
      { data: [{ hops: expect.any(Array) }] },
      { nowMs: expect.any(Number) },
    ])

    const [feedLine] = toTry.filter((line) => line.includes('node --'))
    expect([curls.length, feedLine]).toEqual([3, expect.any(String)])
    const feed = start('sh', ['-c', feedLine?.replace(/(?=node --)/, 'exec ') ?? ''])
    const isTrade = (line: string) => JSON.parse(line).type === 'Trade'
    const messages = (await linesUntil(feed, isTrade)).map((line) => JSON.parse(line))
    expect(messages).toContainEqual({ control: 'synchronized' })

    // The observer reports whether these lines were right.
    const observe = toTry.find((line) => line.includes(' observe '))?.replace('npx breakwater', command)
    const { status, stdout } = spawnSync('sh', ['-c', `${observe} --all --duration 0s`], { encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^0 findings; \d+ rules: 0 violated, [1-9]/m)])

    const [, feedUrl = ''] = printed.map((line) => line.split(/ +/)[1])
    const caFile = printed.find((line) => line.startsWith('ca '))?.split(/ +/)[1]
    expect(caFile !== undefined).toBe(options.includes('--tls'))
    const socket = new WebSocket(feedUrl, { ...(caFile !== undefined && { ca: readFileSync(caFile) }) })
    await once(socket, 'open')
    const closed = once(socket, 'close')
    const ended = [once(up, 'close'), once(feed, 'close')]
    up.kill('SIGTERM')
    expect(await Promise.all(ended)).toEqual([
      [0, null],
      [0, null],
    ])
    expect((await closed)[0]).toBe(1012)
    expect(
      caFile === undefined ? [] : readdirSync(tmpdir()).filter((name) => caFile.includes(`/${name}/`)),
    ).toEqual([])
  },
)

test.each([
  ['a terminal', { ...NO_TERMINAL, stdout: true }, [], true],
  ['a log of a container or pipeline', NO_TERMINAL, [], false],
  ['a log, if it should', NO_TERMINAL, ['--show-tokens'], true],
  ['a log as JSON', NO_TERMINAL, ['--json'], true],
])('prints tokens only in a terminal or on request: %s', async (_, terminal, options, expected) => {
  const { apiTokens, close } = await startStub({ world: 'tiny', seed: 1, mutant: null, pace: 'real' })
  await close()
  const controlToken = 'a-control-token-of-my-own'
  const abort = new AbortController()
  const argv = ['stub', '--port=0', '--feed-port=0', '--control-port=0', '--world=tiny', '--seed=1']
  const { stdout, stderr } = await runCommandLine(
    [...argv, '--choices=default', '--profile=stub.json', ...options],
    {
      terminal,
      env: { ...process.env, BREAKWATER_CONTROL_TOKEN: controlToken },
      interrupted: abort.signal,
      onStdout: (line) => /^(Press Ctrl-C|\{)/.test(line) && abort.abort(),
    },
  )
  const tokens = [controlToken, ...apiTokens]
  expect(tokens.filter((token) => stdout.includes(token))).toEqual(expected ? tokens : [])
  expect(tokens.filter((token) => stderr.includes(token))).toEqual([])
  expect(stdout.includes('tokens   hidden outside of a terminal; --show-tokens prints them\n')).toBe(
    !expected,
  )
})

function start(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function linesUntil(child: ChildProcess, isLast: (line: string) => boolean): Promise<string[]> {
  const lines: string[] = []
  if (!child.stdout) throw new Error('its output is no pipe')
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (isLast(line)) return lines
  }
  throw new Error(`ended with: ${lines.join('\n')}`)
}
