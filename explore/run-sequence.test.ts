import { expect, test } from 'vitest'
import { exploredStub } from '../tools/test/explored-stub.ts'
import { NO_RESPONSE, runSequence, type Stage } from './run-sequence.ts'
import type { Command, Sequence } from './sequence.ts'

const signIn = (as: string, wallet = 0): Command => ({ do: 'sign-in', wallet, as })
const read = (by: string): Command => ({ do: 'read', by, path: '/unclaimed' })
const REFRESH: Command = { do: 'refresh', session: 's1', cookie: 'current' }

/** Two sessions, a token, a race, a socket, and an ended session. */
const SEQUENCE: Sequence = [
  [signIn('s1')],
  [signIn('s2')],
  [{ do: 'create-token', session: 's1', as: 't1', csrf: 'right' }],
  [REFRESH, REFRESH, REFRESH],
  [{ do: 'connect', by: 't1', as: 'c1' }],
  [{ do: 'subscribe', socket: 'c1', rooms: [0, 1] }],
  [{ do: 'hear', socket: 'c1' }],
  [{ do: 'log-out', session: 's2', csrf: 'right' }],
  [read('s1'), read('s2'), read('t1')],
  [{ do: 'list-sessions', session: 's1' }],
  [signIn('s3', 1)],
]

/** The sessions and API tokens that work at the stub. */
function listLeft({ stub, wallets }: Awaited<ReturnType<typeof exploredStub>>) {
  const { auth } = stub.inProcess
  return wallets.slice(0, 2).flatMap((wallet) => {
    return [...auth.sessions.list(wallet.address), ...auth.apiTokens.list(wallet.address)]
  })
}

const summarize = (run: Awaited<ReturnType<typeof runSequence>>) =>
  run.steps.map(({ turn, text, status }) => `${turn}. ${text} -> ${status}`)

test('runs and explains a sequence, and leaves neither a session nor an API token', async () => {
  const stage = await exploredStub()
  const result = await runSequence(SEQUENCE, stage)
  expect(result).toMatchObject({ finding: null, unjudged: null })
  const lines = summarize(result)
  expect(lines.slice(0, 3)).toEqual([
    '0. s1: sign in wallet 1 -> 200',
    '1. s2: sign in wallet 1 -> 200',
    expect.stringMatching(/^2\. s1: create API token t1 -> 20[01]$/),
  ])
  expect(lines.filter((line) => line.startsWith('3. ')).sort()).toEqual([
    '3. s1: refresh -> 200',
    '3. s1: refresh -> 409',
    '3. s1: refresh -> 409',
  ])
  expect(lines[6]).toBe('4. c1: open a socket with a new ticket of t1 -> 200, synchronized')
  expect(lines[8]).toMatch(/^6\. c1: compare its events with a witness -> synchronized, events \d/)
  expect(lines.filter((line) => line.startsWith('8. ')).sort()).toEqual([
    '8. s1: read /unclaimed -> 200',
    '8. s2: read /unclaimed -> 401',
    '8. t1: read /unclaimed -> 200',
  ])
  expect(lines.at(-2)).toBe('9. s1: list sessions -> 200, s1')
  expect([...result.seen]).toContain('refresh 409')
  expect(listLeft(stage)).toEqual([])
})

test('cleans up after a violation and after a case that names what never existed', async () => {
  const stage = await exploredStub({ mutant: 'sequence-logout-after-two-refreshes-ignored' })
  const result = await runSequence(
    [
      [signIn('s1')],
      [REFRESH],
      [REFRESH],
      [{ do: 'log-out', session: 's1', csrf: 'right' }],
      [read('s1')],
      [signIn('s2')],
    ],
    stage,
  )
  expect(result.finding).toMatchObject({
    rule: 'auth.logout.current-only',
    expected: 'a 401, because the session ended (log-out)',
    observed: '200',
    turn: 4,
    command: 's1: read /unclaimed',
    isConcurrent: false,
  })
  expect(result.steps).toHaveLength(5)
  expect(await runSequence([[read('s9'), { do: 'hear', socket: 'c9' }]], stage)).toMatchObject({
    steps: [],
    finding: null,
  })
  expect(listLeft(stage)).toEqual([])
})

const EVERY = { every: 3 }

test.each<{ what: string; faults: object[] }>([
  { what: 'errors', faults: [{ fault: 'http-error', status: 503, when: EVERY }] },
  { what: 'lost responses', faults: [{ fault: 'http-reset', at: 'response', when: EVERY }] },
  {
    what: 'rate limits',
    faults: [{ fault: 'http-429', limit: { mode: 'fixed', retryAfterSeconds: 0 }, when: EVERY }],
  },
])('explains $what', async ({ faults }) => {
  const stage = await exploredStub({ faults })
  const result = await runSequence(SEQUENCE, stage)
  expect(result).toMatchObject({ finding: null, unjudged: null })
  expect(stage.stub.inProcess.faults.list().every(({ triggered }) => triggered > 0)).toBe(true)
})

test('explains a restart of the gateway in the middle', async () => {
  const stage = await exploredStub()
  const target: Stage['target'] = {
    ...stage.target,
    async request(request) {
      if (request.path === '/access/status') stage.stub.inProcess.gateway.restart()
      return stage.target.request(request)
    },
  }
  const result = await runSequence(
    [
      [signIn('s1')],
      [{ do: 'connect', by: 's1', as: 'c1' }],
      [{ do: 'subscribe', socket: 'c1', rooms: [0] }],
      [{ do: 'read', by: 's1', path: '/access/status' }],
      [{ do: 'synchronize', socket: 'c1' }],
      [{ do: 'hear', socket: 'c1' }],
      [{ do: 'renew', socket: 'c1', by: 's1' }],
      [{ do: 'connect', by: 's1', as: 'c2' }],
    ],
    { ...stage, target },
  )
  expect(result).toMatchObject({ finding: null, unjudged: null })
  expect(summarize(result).slice(-4)).toEqual([
    '4. c1: synchronize -> not synchronized, closed 1012',
    '5. c1: compare its events with a witness -> not synchronized, closed 1012',
    '6. c1: renew with a new ticket of s1 -> 200, not synchronized, closed 1012',
    '7. c2: open a socket with a new ticket of s1 -> 200, synchronized',
  ])
})

test('stops between turns when it is interrupted, and cleans up', async () => {
  const stage = await exploredStub()
  const aborting = new AbortController()
  const target: Stage['target'] = {
    ...stage.target,
    interrupted: aborting.signal,
    request(request) {
      if (request.path === '/api-tokens') aborting.abort()
      return stage.target.request(request)
    },
  }
  const result = await runSequence(SEQUENCE, { ...stage, target })
  expect(summarize(result)).toHaveLength(3)
  expect(result).toMatchObject({ finding: null, unjudged: null })
  expect(listLeft(stage)).toEqual([])
})

test('stops between turns when the time is over', async () => {
  const stage = await exploredStub()
  let turns = 0
  const result = await runSequence(SEQUENCE, { ...stage, isOver: () => ++turns > 3 })
  expect(summarize(result)).toHaveLength(3)
  expect(result).toMatchObject({ finding: null, unjudged: null })
  expect(listLeft(stage)).toEqual([])
})

test('does not go on without any response', async () => {
  const stage = await exploredStub()
  const target: Stage['target'] = {
    ...stage.target,
    request: async () => ({ status: 0, body: undefined, cookies: {} }),
  }
  const signIns = Array.from({ length: 20 }, (): Sequence[number] => [signIn('s1')])
  const result = await runSequence(signIns, { ...stage, target })
  expect(result.steps).toHaveLength(5)
  expect(result).toMatchObject({ finding: null, unjudged: NO_RESPONSE })
})
