/** Commands that come again: whole turns, which create new things, and requests with some other parameters. */
import type { RandomStream } from '../simulator/random.ts'
import type { Knowledge } from './known.ts'
import {
  type Command,
  type CommandKind,
  SESSIONS_MAX,
  type Sequence,
  SOCKETS_MAX,
  TOKENS_MAX,
} from './sequence.ts'

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
