import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { BlockUpdate, Views } from '../../indexer/views/views.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { eventAlteration } from '../events/event-alterations.ts'
import { eventsOf } from '../events/events.ts'
import { type EventFrame, textFrame } from '../outbox/text-frame.ts'
import { type Delivery, deliver } from './deliver.ts'
import { createFaultyDelivery, type Receiver } from './faulty-delivery.ts'
import { createReplay } from './replay.ts'
import type { Rooms } from './rooms.ts'

export type Publisher<Member extends Receiver> = {
  /** Sends what a block changed to whoever is in the rooms. */
  publish(update: BlockUpdate): void
  /** How many events there were to send: each counts once for each socket. */
  offered(): number
  /** The rooms as those who join them have to see them. */
  joining: Rooms<Member>
  /** Of a world that is no more: nothing goes out late. */
  forget(): void
}

/** Makes the events of each update, and sends them to whoever is in their rooms. */
export function createPublisher<Member extends Receiver>(options: {
  views: Pick<Views, 'poolStats'>
  rooms: Rooms<Member>
  clock: Clock
  choices: Choices
  faults: Pick<Faults, 'seams'>
  mutant: MutantName | null
}): Publisher<Member> {
  const { views, rooms, clock, choices, faults, mutant } = options
  const alterEvent = eventAlteration({ mutant, choices })
  const replay = createReplay(mutant)
  const isWanted = (room: string) => rooms.members(room).size > 0
  let offered = 0

  const send = (batch: Delivery[]) => {
    for (const { frame, members } of batch) if (frame !== 'resync') offered += members.size
    deliver(batch)
  }
  const faulty = createFaultyDelivery({ faults, clock, rooms, send })

  return {
    publish(update) {
      const batch: Delivery[] = []
      const isFaulty = faulty.isInForce()
      const block = update.block.height
      for (const event of eventsOf(update, { choices, views, isWanted })) {
        for (const { room, ...altered } of alterEvent(event)) {
          const frame: EventFrame = textFrame(JSON.stringify({ ...choices.extraFields, ...altered }))
          if (event.type === 'ProtocolConfigChanged' && update.config) frame.revision = update.config.revision
          if (isFaulty) faulty.add({ room, type: event.type, block, frame }, batch)
          else batch.push({ frame, members: rooms.members(room) })
          replay.keep(room, frame)
        }
      }
      send(batch)
    },
    offered: () => offered,
    joining: replay.joining(rooms),
    forget: faulty.forget,
  }
}
