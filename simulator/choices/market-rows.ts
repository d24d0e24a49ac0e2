import type { ChoiceRow } from './choice-rows.ts'

const SHAPE_OPEN = 'Endpoints whose names are given but whose shape is open'

export const MARKET_ROWS: readonly ChoiceRow[] = [
  { path: 'aggregator.prefix', what: 'What the paths of the aggregator begin with', section: SHAPE_OPEN },
  {
    path: 'aggregator.depthDefault',
    what: 'Levels of an order book, both sides together, where `depth` is not given',
    section: SHAPE_OPEN,
  },
  { path: 'aggregator.depthMax', what: 'The most levels; `depth=0` asks for as many', section: SHAPE_OPEN },
  {
    path: 'debug.prefix',
    what: 'What the paths of on-chain introspection begin with',
    section: 'What the service does',
  },
  { path: 'debug.access', what: 'Its access', section: 'Authentication' },
]
