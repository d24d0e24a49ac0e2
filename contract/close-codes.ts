/**
 * Close codes that any socket may get at any time, like a 5xx: it goes away or restarts (1001, 1012), was lost (1006), or failed (1011,
 * 1013, 1014).
 */
export const LOST_CODES: readonly number[] = [1001, 1006, 1011, 1012, 1013, 1014]
