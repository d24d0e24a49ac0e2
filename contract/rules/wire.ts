import { serverRules } from '../rule.ts'

export const WIRE_RULES = serverRules([
  [
    'wire.success.payload-in-data',
    'Wire conventions',
    'A successful body carries its payload in `data`.',
    'every 200 body of the probed reads has `data`',
  ],
  [
    'wire.error.body-shape',
    'Errors',
    'An error body has a string `error`, and may have `code` and `ref`, each a string or null.',
    'a refused request is answered with such a body',
  ],
  [
    'wire.pools.record',
    'Resources: plain pool record',
    'A pool record has key, token0, token1, enabled and fee; the fee is an exact string.',
    'every row of /pools has the five fields with their types',
  ],
  [
    'wire.explore-pools.record',
    'Resources: explore pool row',
    'An explore row has its required fields, and exact figures are strings or null.',
    'every row of /explore/pools fits the record',
  ],
  [
    'wire.swaps.record',
    'Resources: swap record',
    'A swap record has its required fields; amounts are strings in base units.',
    'every row of /swaps fits the record',
  ],
])
