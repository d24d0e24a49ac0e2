import { LIMITS } from '../contract/limits.ts'

/** The stated limits as the stub enforces them. */
export const STATED_LIMITS = {
  accessSessionSeconds: LIMITS.accessSessionSeconds,
  ticketSeconds: LIMITS.wsTicketSeconds,
  authenticateSeconds: LIMITS.wsAuthenticateSeconds,
  roomsPerConnection: LIMITS.wsRoomsPerConnection,
  framesPerMinute: LIMITS.wsFramesPerMinute,
  frameBytes: LIMITS.wsFrameBytesMax,
  explorePageSize: LIMITS.pageSizeMax,
  swapsPageSize: LIMITS.pageSizeMax,
  routeHops: LIMITS.routeHopsMax,
  faucetSeconds: LIMITS.faucetSeconds,
}

/** What the parts of the stub are made with; the stated ones by default. */
export type StubLimits = Readonly<Record<keyof typeof STATED_LIMITS, number>>
