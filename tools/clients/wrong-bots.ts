import type { WrongBot } from './bot-patches.ts'
import { WRONG_FEED_BOTS } from './wrong-feed-bots.ts'
import { WRONG_REST_BOTS } from './wrong-rest-bots.ts'
import { WRONG_SESSION_BOTS } from './wrong-session-bots.ts'
import { WRONG_SOCKET_BOTS } from './wrong-socket-bots.ts'

/** At least two wrong Python bots for each rule. */
export const WRONG_BOTS: Readonly<Record<string, WrongBot>> = {
  ...WRONG_REST_BOTS,
  ...WRONG_SESSION_BOTS,
  ...WRONG_SOCKET_BOTS,
  ...WRONG_FEED_BOTS,
}
