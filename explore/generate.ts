/**
 * Draws sequences. Each sequence has its own kinds and weights (swarm testing), most commands concern what the last ones
 * concerned, some turns are concurrent or come again, and the end looks at everything that was created, because a state shows
 * only when it is read.
 */

import type { RandomStream } from '../simulator/random.ts'
import { drawWeights, pickWeighted } from './areas.ts'
import { type Drawing, drawCommand, drawFavorites } from './draw.ts'
import { drawLooks, endSession } from './generate-looks.ts'
import { createKnowledge, type Knowledge, learn } from './known.ts'
import {
  COMMAND_KINDS,
  type Command,
  type CommandKind,
  countCommands,
  SESSIONS_MAX,
  type Sequence,
  SOCKETS_MAX,
  TOKENS_MAX,
  TURN_MAX,
  type Turn,
  WALLETS_MAX,
} from './sequence.ts'

const COMMANDS_DRAWN = { min: 8, max: 90 }

/** Shares of turns. */
const CONCURRENT = 0.25
/** Share of concurrent turns that are copies of one command, each with its own label. */
const RACE = 0.5
/** Share of races of refreshes after which the session is ended at once: a second winner shows until the next refresh. */
const ENDED_RACE = 0.2
/** Share of the others whose commands are of one kind. */
const CROWD = 0.3
/** Share of turns after which the last ones come again. */
const REPEATED = 0.12
const REPEATED_TURNS_MAX = 3
const REPEATED_TIMES_MAX = 5

/** `looks` comes after `body`: what the body did shows only when it is read. */
export type Generated = { body: Sequence; looks: Sequence }

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
): Generated {
  const known = createKnowledge()
  const weights = drawWeights(random, kinds)
  const drawing: Drawing = {
    random,
    known,
    wallets: random.pick([1, 2, 2, 3, WALLETS_MAX]),
    kinds: weights.map(([kind]) => kind),
    sameShare: random.pick([0.3, 0.6, 0.9]),
    favorites: drawFavorites(random),
  }
  const turns: Turn[] = []
  const add = (turn: Turn) => {
    for (const command of turn) learn(known, command)
    turns.push(turn)
  }
  for (const turn of start) add(turn)
  if (turns.length === 0) add([{ do: 'sign-in', wallet: 0, as: 's1' }])
  const wanted = random.int(COMMANDS_DRAWN.min, random.int(COMMANDS_DRAWN.min, COMMANDS_DRAWN.max))
  for (let count = 0; count < wanted; ) {
    const turn = drawTurn(drawing, (kind = pickWeighted(random, weights)) => {
      const command = drawCommand(kind, drawing)
      return command && varyCommand(command, drawing)
    })
    if (turn.length === 0) break
    add(turn)
    count += turn.length
    const [raced] = turn
    if (turn.length > 1 && raced?.do === 'refresh' && random.float() < ENDED_RACE)
      for (const look of endSession(raced.session)) if (kinds.includes(look.do)) add([look])
    if (random.float() >= REPEATED) continue
    const repeated = turns.slice(-random.int(1, REPEATED_TURNS_MAX))
    const times = random.int(1, REPEATED_TIMES_MAX)
    for (let time = 0; time < times && !createsTooMany(repeated, known); time++) {
      count += countCommands(repeated)
      if (count > COMMANDS_DRAWN.max) break
      for (const again of repeatTurns(repeated, known)) add(again)
    }
  }
  return { body: turns, looks: drawLooks(drawing, kinds) }
}

/** Tries to draw a command: some kinds need what only kinds create that the sequence leaves out. */
const TRIES = 100

/** Returns an empty turn if no command can be drawn. */
function drawTurn({ random, known }: Drawing, draw: (kind?: CommandKind) => Command | undefined): Turn {
  const next = (kind?: CommandKind): Command | undefined => {
    for (let tries = 0; tries < TRIES; tries++) {
      const command = draw(kind)
      if (command) return command
    }
    return undefined
  }
  const first = next()
  if (!first) return []
  if (random.float() >= CONCURRENT || SOLITARY.includes(first.do)) return [first]
  const width = random.pick([2, 2, 3, 4, random.int(5, 8), random.int(8, TURN_MAX)])
  const turn = [first]
  if (random.float() < RACE) {
    while (turn.length < width && !createsTooMany([[...turn, first]], known))
      turn.push(...repeatTurns([[first]], known).flat())
    return turn
  }
  const kind = random.float() < CROWD ? first.do : undefined
  for (let tries = 0; tries < 4 * width && turn.length < width; tries++) {
    const command = next(kind)
    if (!command) break
    const isFree = !('as' in command) || turn.every((other) => !('as' in other) || other.as !== command.as)
    if (isFree && !SOLITARY.includes(command.do)) turn.push(command)
  }
  return turn
}

/** These compare or wait, so nothing should happen at the same time. */
const SOLITARY: readonly CommandKind[] = ['hear', 'wait', 'close', 'forge']

const LABELED = ['by', 'session', 'of', 'token', 'ticket', 'socket', 'as'] as const

/** Copies turns. Commands that use what these turns created use that of the copy. */
export function repeatTurns(turns: Sequence, known: Pick<Knowledge, 'created'>): Sequence {
  const renamed = new Map<string, string>()
  const rename = (command: Command): Command => {
    if ('as' in command) renamed.set(command.as, `${command.as.charAt(0)}${++known.created}`)
    const fields: Readonly<Record<string, unknown>> = command
    const changed = LABELED.flatMap((field) => {
      const label = fields[field]
      return typeof label === 'string' && renamed.has(label) ? [[field, renamed.get(label)] as const] : []
    })
    // as: only labels change
    return { ...command, ...Object.fromEntries(changed) } as Command
  }
  return turns.map((turn) => turn.map(rename))
}

/** True if a copy of these turns would make more sessions, API tokens or sockets than a sequence should have. */
export function createsTooMany(turns: Sequence, { sessions, tokens, sockets }: Knowledge): boolean {
  const count = (...kinds: CommandKind[]) =>
    turns.flat().filter(({ do: kind }) => kinds.includes(kind)).length
  return (
    sessions.length + count('sign-in') > SESSIONS_MAX ||
    tokens.length + count('create-token') > TOKENS_MAX ||
    sockets.length + count('connect', 'redeem') > SOCKETS_MAX
  )
}

const VARYING: readonly CommandKind[] = ['page', 'walk', 'route', 'read-state', 'claim', 'mint']
/** Shares: of commands that resemble the last one of their kind, and of those that differ in one parameter. */
const VARIED = 0.7
const SINGLE = 0.5
/** Share of parameters that the others keep. */
const KEPT = 0.6

/** Returns the last command of this kind with some parameters of the given one, or the given one. */
export function varyCommand(
  command: Command,
  { random, known }: { random: RandomStream; known: Knowledge },
): Command {
  const before: Readonly<Record<string, unknown>> | undefined = known.previous[command.do]
  if (!VARYING.includes(command.do) || !before || random.float() >= VARIED) return command
  const drawn: Readonly<Record<string, unknown>> = command
  if (before.list !== drawn.list) return command
  const names = [...new Set([...Object.keys(before), ...Object.keys(drawn)])]
  const changed = random.float() < SINGLE ? random.pick(names) : undefined
  const isKept = (name: string) => (changed === undefined ? random.float() < KEPT : name !== changed)
  const fields = names.map((name) => [name, (isKept(name) ? before : drawn)[name]] as const)
  // as: both are commands of this kind for this list
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Command
}
