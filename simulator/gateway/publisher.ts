import type { Choices } from '../choices/choices.ts'
import type { BlockUpdate, Views } from '../indexer/views.ts'
import type { MutantName } from '../mutants/mutants.ts'
import type { Connection } from './connection.ts'
import { type Delivery, deliver } from './deliver.ts'
import { eventAlteration } from './event-alterations.ts'
import { eventsOf } from './events.ts'
import { createReplay } from './replay.ts'
import type { Rooms } from './rooms.ts'
import { textFrame } from './text-frame.ts'

export type Publisher = {
  /** Sends what a block changed to whoever is in the rooms. */
  publish(update: BlockUpdate): void
  /** How many events there were to send: each counts once for each socket. */
  offered(): number
  /** The rooms as those who join them have to see them. */
  joining: Rooms<Connection>
}

export function createPublisher(options: {
  views: Pick<Views, 'poolStats'>
  rooms: Rooms<Connection>
  choices: Choices
  mutant: MutantName | null
}): Publisher {
  const { views, rooms, choices, mutant } = options
  const alterEvent = eventAlteration({ mutant, choices })
  const replay = createReplay(mutant)
  const isWanted = (room: string) => rooms.members(room).size > 0
  let offered = 0

  return {
    publish(update) {
      const deliveries: Delivery[] = []
      for (const event of eventsOf(update, { choices, views, isWanted })) {
        for (const { room, ...altered } of alterEvent(event)) {
          const members = rooms.members(room)
          offered += members.size
          const frame = textFrame(JSON.stringify({ ...choices.extraFields, ...altered }))
          deliveries.push({ frame, members })
          replay.keep(room, frame)
        }
      }
      deliver(deliveries)
    },
    offered: () => offered,
    joining: replay.joining(rooms),
  }
}
