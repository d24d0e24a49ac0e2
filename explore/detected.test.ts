// Sequences that show mutants, one for each kind of knowledge that the model gets from several commands.
import { expect, test } from 'vitest'
import type { MutantName } from '../simulator/mutants/mutants.ts'
import { exploredStub } from '../tools/test/explored-stub.ts'
import { runSequence } from './run-sequence.ts'
import { type Command, type CommandOf, FOREIGN_ROOM } from './sequence.ts'

const signIn = (as: string, wallet = 0): Command => ({ do: 'sign-in', wallet, as })
const CONNECT: Command = { do: 'connect', by: 's1', as: 'c1' }
const renew = (by: string): Command => ({ do: 'renew', socket: 'c1', by })
const subscribe = (...rooms: number[]): Command => ({ do: 'subscribe', socket: 'c1', rooms })
const HALF: Command = { do: 'wait', for: 'ticket-half' }
const HEAR: Command = { do: 'hear', socket: 'c1' }
const readState = (minimum: CommandOf<'read-state'>['minimum']): Command => ({
  do: 'read-state',
  by: 's1',
  minimum,
})
const route = (to: number): Command => ({ do: 'route', by: 's1', from: 0, to, amount: 'unit' })
const walk = (more: Partial<CommandOf<'walk'>>): Command => ({
  do: 'walk',
  list: '/pools',
  size: 50,
  ...more,
})

const ROWS: readonly { mutant: MutantName; commands: readonly Command[]; rule: string }[] = [
  {
    mutant: 'sequence-foreign-balance-after-renewal',
    commands: [signIn('s1'), CONNECT, renew('s1'), subscribe(FOREIGN_ROOM), HEAR],
    rule: 'ws.rooms.foreign-balance',
  },
  {
    mutant: 'sequence-candles-end-with-trades',
    commands: [signIn('s1'), CONNECT, subscribe(1, 2), { do: 'unsubscribe', socket: 'c1', rooms: [1] }, HEAR],
    rule: 'ws.rooms.freed',
  },
  {
    mutant: 'sequence-second-renewal-by-anyone',
    commands: [
      signIn('s1'),
      signIn('s2', 1),
      CONNECT,
      renew('s1'),
      HALF,
      renew('s2'),
      HALF,
      { do: 'synchronize', socket: 'c1' },
    ],
    rule: 'ws.ticket.renewal-other-principal',
  },
  {
    mutant: 'sequence-pending-served-at-fifth-try',
    commands: [signIn('s1'), readState('none'), readState('next'), readState('next')],
    rule: 'protocol.minimum.served',
  },
  {
    mutant: 'sequence-route-404-remembered',
    commands: [signIn('s1'), signIn('s2'), route(1), route(1), route(2)],
    rule: 'route.none.404',
  },
  {
    mutant: 'sequence-row-doubled-when-limit-changes',
    commands: [walk({ size: 7, otherSize: 11 })],
    rule: 'paging.pools.complete',
  },
  { mutant: 'sequence-pools-total-frozen', commands: [walk({})], rule: 'paging.pools.complete' },
  {
    mutant: 'sequence-filtered-total-stale',
    commands: [signIn('s1'), walk({ list: '/swaps', by: 's1', size: 20, pool: 0 })],
    rule: 'paging.swaps.complete',
  },
]

type ExploredStub = Awaited<ReturnType<typeof exploredStub>>

/** So that there are new pools and swaps. */
const BLOCKS = 60

/** Runs the sequence twice, and returns the first finding. */
async function runTwice(commands: readonly Command[], { stub, ...stage }: ExploredStub) {
  // Swaps that come during a walk make it prove nothing.
  stub.world.setMining({ mode: 'paused' })
  const sequence = commands.map((command) => [command])
  const first = await runSequence(sequence, stage)
  for (let block = 0; block < BLOCKS; block++) await stage.target.stir()
  return first.finding ?? (await runSequence(sequence, stage)).finding
}

test.each(ROWS)('$mutant', async ({ mutant, commands, rule }) => {
  expect(await runTwice(commands, await exploredStub({ mutant }))).toMatchObject({ rule })
})

test('a wait for the market brings swaps, so that a frozen total shows within one run', async () => {
  const { stub, ...stage } = await exploredStub({ mutant: 'sequence-filtered-total-stale' })
  stub.world.setMining({ mode: 'paused' })
  const walked = walk({ list: '/swaps', by: 's1', size: 20, pool: 0 })
  const wait: Command = { do: 'wait', for: 'market' }
  const run = (commands: readonly Command[]) =>
    runSequence(
      commands.map((command) => [command]),
      stage,
    )
  expect((await run([signIn('s1'), walked, walked])).finding).toBeNull()
  const { finding } = await run([signIn('s1'), walked, ...Array.from({ length: 6 }, () => wait), walked])
  expect(finding).toMatchObject({ rule: 'paging.swaps.complete' })
})

test('a frame beyond the limit may get no response', async () => {
  const synchronize: Command = { do: 'synchronize', socket: 'c1' }
  const many = Array.from({ length: 15 }, () => Array.from({ length: 16 }, () => synchronize))
  const turns = [[signIn('s1')], [CONNECT], ...many, [synchronize]]
  const { finding, steps } = await runSequence(turns, await exploredStub())
  expect(finding).toBeNull()
  expect(steps.at(-1)?.status).toBe('not synchronized')
})

test('a right exchange shows nothing', async () => {
  const stage = await exploredStub()
  for (const { commands } of ROWS) expect(await runTwice(commands, stage)).toBeNull()
})
