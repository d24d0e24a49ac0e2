import { follow } from 'k6/x/breakwater/history'
import { findEventPath } from '../../../contract/event-path.ts'
import type { Choices } from '../../../contract/profile.ts'
import { ROOM_EVENTS } from '../../../contract/room-events.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { FrameRecorder } from '../client/follow-feed.ts'
import { createKey } from './record.ts'

/** Records the frames of a socket. `address`: that of its ticket. Returns undefined without an operation log. */
export function recordFrames(
  { profile }: Pick<Target, 'profile'>,
  address: string | undefined,
): FrameRecorder | undefined {
  return follow(createKey('socket'), listKinds(profile.choices.events), address ?? '') ?? undefined
}

/** The kinds of rooms, in order of ROOM_EVENTS. Only events with an identity can be recognized when they come again. */
function listKinds({ id, pool, address }: Choices['events']): (readonly [string, string, string, string])[] {
  const identities: Readonly<Record<string, string | null>> = {
    Trade: findEventPath(id, 'Trade'),
    ProtocolConfigChanged: 'data.revision',
  }
  return Object.entries(ROOM_EVENTS).map(([room, type]) => {
    const subject = room === 'balances:' ? address : room.endsWith(':') ? findEventPath(pool, type) : null
    return [room, type, subject ?? '', identities[type] ?? '']
  })
}
