import type { OfferedSockets } from '../../../contract/scenario-config.ts'

/** The first socket opens one second after the start: VUs sign in before. */
const FIRST_SECONDS = 1

export type PlannedSocket = {
  number: number
  atSeconds: number
  /** How many rooms to join; null: those of the mix. */
  rooms: number | null
  /** Reads no more once it is synchronized, and is not part of what is judged. */
  isSlow: boolean
}

/** The sockets of a VU, dealt out in turn, so that VUs share the opening of sockets evenly. */
export function listSockets(
  vu: number,
  { count, vus, openedPerSecond, rooms, slowReaders = 0 }: Omit<OfferedSockets, 'dueAfterSeconds' | 'storm'>,
): PlannedSocket[] {
  const sockets: PlannedSocket[] = []
  for (let number = vu; number < count; number += vus)
    sockets.push({
      number,
      atSeconds: FIRST_SECONDS + number / openedPerSecond,
      rooms: rooms === undefined ? null : Math.min(rooms.perSocket, rooms.total - number * rooms.perSocket),
      isSlow: number < slowReaders,
    })
  return sockets
}

/** The part of the load that a socket is. */
export function weigh({ rooms, isSlow }: Pick<PlannedSocket, 'rooms' | 'isSlow'>): number {
  return isSlow ? 0 : (rooms ?? 1)
}

const SECOND_MS = 1000
const MIDDLE_MS = 500

/** The first middle of a second of the clock at or after this time. */
export function nextCheckMs(fromMs: number): number {
  return Math.ceil((fromMs - MIDDLE_MS) / SECOND_MS) * SECOND_MS + MIDDLE_MS
}

/** True if a check that was due at `atMs` still falls into its second. */
export function isInItsSecond(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < MIDDLE_MS
}
