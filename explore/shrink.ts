/** Reduces a sequence to what its violation needs: fewer turns, fewer commands at once, one after the other, simpler commands. */
import { minimize } from '../hunt/shrink.ts'
import { type Command, type Sequence, withoutOrphans } from './sequence.ts'

export async function shrinkSequence(
  given: Sequence,
  { reproduces, triesMax }: { reproduces: (sequence: Sequence) => Promise<boolean>; triesMax: number },
): Promise<Sequence> {
  const rejected = new Set<string>()
  let best = given
  let tries = 0
  const attempt = async (candidate: Sequence): Promise<boolean> => {
    const sequence = withoutOrphans(candidate)
    const key = JSON.stringify(sequence)
    if (key === JSON.stringify(best)) return false
    if (tries >= triesMax || sequence.length === 0 || rejected.has(key)) return false
    tries++
    if (await reproduces(sequence)) {
      best = sequence
      return true
    }
    rejected.add(key)
    return false
  }
  for (let before: Sequence = []; best !== before && tries < triesMax; ) {
    before = best
    await minimize(best, attempt)
    for (let turn = 0; turn < best.length; turn++) {
      const commands = best[turn] ?? []
      if (commands.length > 1) await minimize(commands, (left) => attempt(best.with(turn, [...left])))
    }
    for (let turn = 0; turn < best.length; turn++) {
      const commands = best[turn] ?? []
      if (commands.length > 1)
        await attempt(best.flatMap((each, place) => (place === turn ? commands.map((one) => [one]) : [each])))
      for (const [place, command] of (best[turn] ?? []).entries())
        for (const simpler of listSimpler(command))
          await attempt(best.with(turn, (best[turn] ?? []).with(place, simpler)))
    }
  }
  return best
}

function listSimpler(command: Command): Command[] {
  if ((command.do === 'subscribe' || command.do === 'unsubscribe') && command.rooms.length > 1) {
    const { rooms } = command
    const half = Math.ceil(rooms.length / 2)
    return [rooms.slice(0, 1), rooms.slice(0, half), rooms.slice(half)].map((fewer) => ({
      ...command,
      rooms: fewer,
    }))
  }
  if (command.do === 'page')
    return PARAMETERS.filter((name) => command[name] !== undefined).map((name) => {
      const { [name]: _, ...fewer } = command
      return fewer
    })
  if ('csrf' in command && command.csrf !== 'right') return [{ ...command, csrf: 'right' }]
  if (command.do === 'refresh' && command.cookie !== 'current') return [{ ...command, cookie: 'current' }]
  return []
}

const PARAMETERS = ['limit', 'offset', 'window', 'order', 'isSorted', 'search', 'pool'] as const
