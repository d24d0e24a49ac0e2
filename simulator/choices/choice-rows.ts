import type { Choices } from './choices.ts'
import { FEED_ROWS } from './feed-rows.ts'
import { LIST_ROWS, MARKET_ROWS, ROUTE_ROWS } from './list-rows.ts'
import { API_TOKEN_ROWS, SESSION_ROWS } from './session-rows.ts'
import { ERROR_ROWS, WIRE_ROWS } from './wire-rows.ts'

const DEPLOYMENT_ROWS: readonly ChoiceRow[] = [
  {
    path: 'deployment.replicas',
    what: 'Replicas that public reads come from; with none, they come from the primary, as all other reads do',
    section: 'What the service does',
  },
  {
    path: 'deployment.replicaLagMs',
    what: 'How far the last replica is behind, in milliseconds; the others lag in even steps up to that',
    section: 'What the service does',
  },
  {
    path: 'deployment.gateways',
    what: 'Gateway nodes behind the one address of the feed, to which connections go in turn; a node may restart alone',
    section: 'Delivery',
  },
  {
    path: 'deployment.rollingRestartMs',
    what: 'How often the next node restarts, in milliseconds: a gateway node closes its sockets, a REST node drains',
    section: 'Delivery',
  },
]

/** What docs/choices.md says of one choice, or of several that stand together. */
export type ChoiceRow = {
  /** Where it stands in Choices; what begins with `profile.` has the rest for its name in the target profile. */
  path: string
  what: string
  /** The section of the specification that leaves it open. */
  section: string
  /** An example in place of a value that is a function. */
  example?: (choices: Choices) => string
}

/** A row for every choice: a test fails where one is missing. */
export const CHOICE_ROWS: Readonly<Record<string, readonly ChoiceRow[]>> = {
  'On the wire': WIRE_ROWS,
  Errors: ERROR_ROWS,
  'Sign-in and sessions': SESSION_ROWS,
  'API tokens': API_TOKEN_ROWS,
  Lists: LIST_ROWS,
  'Protocol and routes': ROUTE_ROWS,
  'Market data and introspection': MARKET_ROWS,
  'Live feed': FEED_ROWS,
  Deployment: DEPLOYMENT_ROWS,
}
