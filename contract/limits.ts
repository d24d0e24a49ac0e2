/** Every figure of the specification's section Limits. Plain data, also imported by scenarios inside k6. */
export const LIMITS = {
  /** Rows per page, for /explore/pools and /swaps. */
  pageSizeMin: 1,
  pageSizeMax: 100,
  routeHopsMax: 3,
  accessSessionSeconds: 15 * 60,
  wsTicketSeconds: 60,
  wsAuthenticateSeconds: 5,
  wsRoomsPerConnection: 32,
  wsFramesPerMinute: 240,
  /** "2 KB": up to 2,000 bytes must be accepted, over 2,048 rejected; between the two either is right. */
  wsFrameBytesTaken: 2000,
  wsFrameBytesMax: 2048,
  faucetSeconds: 15 * 60,
} as const

/** Version of the specified interface (Versioning, 1), as in its machine-readable description. */
export const INTERFACE_VERSION = '0.1.0'
