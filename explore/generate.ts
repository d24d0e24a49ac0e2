/**
 * Draws sequences. Each sequence has its own areas and weights (swarm testing), most commands concern what the last ones
 * concerned, some turns are concurrent, and the end looks at everything that was created, because a state shows only when it is
 * read.
 */
import type { RandomStream } from '../simulator/random.ts'
import { drawCommand } from './draw.ts'
import { drawStrangers } from './generate-strangers.ts'
import { createKnowledge, type Knowledge, learn } from './known.ts'
import {
  COMMAND_KINDS,
  type Command,
  type CommandKind,
  READ_PATHS,
  type Sequence,
  TURN_MAX,
  type Turn,
  WALLETS_MAX,
} from './sequence.ts'

const COMMANDS_DRAWN = { min: 5, max: 60 }

/** Shares of turns. */
const CONCURRENT = 0.25
/** Share of concurrent turns that are copies of one command. */
const RACE = 0.5
const REPEATED = 0.08

export function generateSequence(
  random: RandomStream,
  {
    start = [],
    kinds = COMMAND_KINDS,
  }: {
    /** Turns that come first. */
    start?: Sequence
    kinds?: readonly CommandKind[]
  } = {},
): Sequence {
  const known = createKnowledge()
  const weights = drawWeights(random, kinds)
  const wallets = random.int(1, WALLETS_MAX)
  const drawn = weights.map(([kind]) => kind)
  const draw = () => drawCommand(pickKind(random, weights), { random, known, wallets, kinds: drawn })
  const turns: Turn[] = []
  const add = (turn: Turn) => {
    for (const command of turn) learn(known, command)
    turns.push(turn)
  }
  for (const turn of start) add(turn)
  if (turns.length === 0) add([{ do: 'sign-in', wallet: 0, as: 's1' }])
  const wanted = random.int(COMMANDS_DRAWN.min, random.int(COMMANDS_DRAWN.min, COMMANDS_DRAWN.max))
  for (let count = 0; count < wanted; ) {
    const turn = drawTurn(random, draw)
    if (turn.length === 0) break
    // Some states need the same several times.
    const times = random.float() < REPEATED && !turn.some((command) => 'as' in command) ? random.int(2, 5) : 1
    for (let time = 0; time < times; time++) add(turn)
    count += times * turn.length
  }
  for (const turn of drawLooks(random, known, kinds)) add(turn)
  return turns
}

/** Tries to draw a command: some kinds need what only kinds create that the sequence leaves out. */
const TRIES = 100

/** Returns an empty turn if no command can be drawn. */
function drawTurn(random: RandomStream, draw: () => Command | undefined): Turn {
  const next = (): Command | undefined => {
    for (let tries = 0; tries < TRIES; tries++) {
      const command = draw()
      if (command) return command
    }
    return undefined
  }
  const first = next()
  if (!first) return []
  if (random.float() >= CONCURRENT || SOLITARY.includes(first.do)) return [first]
  const width = random.pick([2, 2, 3, 4, random.int(5, 8), random.int(8, TURN_MAX)])
  if (random.float() < RACE && !('as' in first)) return Array.from({ length: width }, () => first)
  const turn = [first]
  for (let tries = 0; tries < 4 * width && turn.length < width; tries++) {
    const command = next()
    if (!command) break
    const isFree = !('as' in command) || turn.every((other) => !('as' in other) || other.as !== command.as)
    if (isFree && !SOLITARY.includes(command.do)) turn.push(command)
  }
  return turn
}

/** These compare or wait, so nothing should happen at the same time. */
const SOLITARY: readonly CommandKind[] = ['hear', 'wait', 'close', 'forge']

const REVIVALS = 0.5

/** The end of a sequence: everything is read once, sockets are compared, and refreshes show whether a session revives. */
function drawLooks(random: RandomStream, known: Knowledge, kinds: readonly CommandKind[]): Turn[] {
  const path = random.pick(READ_PATHS)
  const reads = [...known.sessions, ...known.tokens].map(
    ({ label }): Command => ({ do: 'read', by: label, path }),
  )
  const lists = [
    ...new Set(known.sessions.filter(({ isOver }) => !isOver).map(({ wallet }) => wallet)),
  ].flatMap((wallet): Command[] => {
    const session = known.sessions.findLast((each) => each.wallet === wallet && !each.isOver)?.label ?? ''
    return [
      { do: 'list-sessions', session },
      { do: 'list-tokens', session },
    ]
  })
  const hears = known.sockets
    .filter(({ isOver }) => !isOver)
    .map(({ label }): Command => ({ do: 'hear', socket: label }))
  const revivals =
    random.float() < REVIVALS
      ? known.sessions.flatMap(({ label }): Command[] => [
          { do: 'refresh', session: label, cookie: 'current' },
          { do: 'read', by: label, path },
        ])
      : []
  return [...reads, ...lists, ...hears, ...revivals, ...drawStrangers(random, known)]
    .filter((command) => kinds.includes(command.do))
    .map((command) => [command])
}

/** Areas of commands, with their weights. A sequence uses a few, so that its commands concern each other. */
type Weights = Partial<Record<CommandKind, number>>
type Weighted = readonly (readonly [CommandKind, number])[]

const SESSIONS: Weights = {
  'sign-in': 8,
  read: 8,
  refresh: 12,
  'log-out': 4,
  'log-out-all': 2,
  'revoke-session': 4,
  'list-sessions': 4,
  'create-token': 5,
  'revoke-token': 4,
  'list-tokens': 4,
  wait: 1,
}

const SOCKETS: Weights = {
  'sign-in': 4,
  'create-token': 2,
  ticket: 2,
  redeem: 2,
  connect: 6,
  renew: 5,
  subscribe: 8,
  unsubscribe: 5,
  synchronize: 2,
  hear: 4,
  close: 1,
  wait: 1,
}

const TOKENS: Weights = {
  'sign-in': 4,
  'create-token': 8,
  read: 6,
  'revoke-token': 6,
  'list-tokens': 4,
  refresh: 2,
  'log-out': 1,
}

/** Credentials for areas that are not about them. */
const SIGNED_IN: Weights = { 'sign-in': 2, 'create-token': 2 }

const LISTS: Weights = { ...SIGNED_IN, page: 20, walk: 4, 'read-pool': 5, 'list-registry': 1 }
const ROUTES: Weights = { ...SIGNED_IN, route: 12, 'read-state': 8 }
const FAUCET: Weights = { ...SIGNED_IN, 'create-token': 4, refresh: 2, claim: 12, wait: 5 }
const ADMIN: Weights = { 'sign-in': 5, 'create-token': 5, 'read-codes': 8, mint: 6, 'redeem-code': 4 }

const STRANGERS: Weights = { 'sign-in': 4, 'create-token': 3, refresh: 1, ask: 16, forge: 2 }

/** How often a sequence uses an area. */
const AREAS: readonly (readonly [Weights, number])[] = [
  [SESSIONS, 0.7],
  [SOCKETS, 0.6],
  [TOKENS, 0.3],
  [LISTS, 0.2],
  [ROUTES, 0.15],
  [FAUCET, 0.12],
  [ADMIN, 0.12],
  [STRANGERS, 0.1],
]

/** Share of sequences with a single area. */
const FOCUSED = 0.5

const SWARM = [0, 0.5, 1, 1, 3]
/** Without these, nothing else can be drawn. */
const NEEDED: readonly CommandKind[] = ['sign-in']

/** The weights of the kinds that a sequence draws: those of its areas, some left out or more frequent (swarm testing). */
function drawWeights(random: RandomStream, kinds: readonly CommandKind[]): Weighted {
  const usable = AREAS.filter(([weights]) => kinds.some((kind) => kind in weights && !NEEDED.includes(kind)))
  const drawn = usable.filter(([, share]) => random.float() < share)
  const all = drawn.length > 0 ? drawn : [random.pick(usable.length > 0 ? usable : AREAS)]
  const areas = random.float() < FOCUSED ? [random.pick(all)] : all
  const weigh = (share: () => number): Weighted =>
    kinds.flatMap((kind) => {
      const weight = Math.max(0, ...areas.map(([weights]) => weights[kind] ?? 0))
      const total = NEEDED.includes(kind) ? Math.max(weight, 1) : weight * share()
      return total > 0 ? [[kind, total] as const] : []
    })
  const some = weigh(() => random.pick(SWARM))
  return some.some(([kind]) => !NEEDED.includes(kind)) ? some : weigh(() => 1)
}

function pickKind(random: RandomStream, weights: Weighted): CommandKind {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  let left = random.float() * total
  for (const [kind, weight] of weights) {
    left -= weight
    if (left < 0) return kind
  }
  return 'sign-in'
}
