import type { Choices } from './choices.ts'
import { DEPLOYMENT_ROWS } from './deployment-rows.ts'
import { FEED_ROWS } from './feed-rows.ts'
import { LIST_ROWS, ROUTE_ROWS } from './list-rows.ts'
import { MARKET_ROWS } from './market-rows.ts'
import { API_TOKEN_ROWS, SESSION_ROWS } from './session-rows.ts'
import { ERROR_ROWS, WIRE_ROWS } from './wire-rows.ts'

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
