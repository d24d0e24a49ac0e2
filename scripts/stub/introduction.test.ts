import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { startStub } from '../../simulator/stub.ts'
import { sampleByTree } from '../../tools/test/tree-sample.ts'
import { introduction } from '../commands/stub.ts'
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
      ...['stub', '--port=0', '--feed-port=0', '--control-port=0', '--choices', choices, ...options],
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
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^0 findings; \d+ rules: 0 violated, [1-9]/)])

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

test('a log that others may read contains no token', async () => {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real' })
  onTestFinished(() => stub.close())
  const tokens = [stub.controlToken, ...stub.apiTokens]
  const printed = (hideTokens: boolean) =>
    introduction(stub, 'default', { profileFile: 'stub.json', hideTokens }).join('\n')
  expect(tokens.filter((token) => !printed(false).includes(token))).toEqual([])
  expect(tokens.filter((token) => printed(true).includes(token))).toEqual([])
  expect(printed(true)).toMatch(/^tokens {3}not printed\n\nPress Ctrl-C to stop\.$/m)
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
