import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { HISTORY_LIMITS } from '../../simulator/indexer/history/history-log.ts'
import { WINDOWS } from '../../simulator/indexer/pools/pool-figures.ts'
import { INVARIANTS } from '../../simulator/invariants/invariants.ts'
import { REORG_DEPTH_MAX } from '../../simulator/undo-log.ts'
import { BLOCKS_KEPT } from '../../simulator/world/chain-node.ts'

const page = readFileSync(projectPath('docs/reference/chain.md'), 'utf8')
const { swaps, trades, tradesPerPool, faucetRecords, candlesPerPool } = HISTORY_LIMITS

test.each([
  ['invariants', Object.keys(INVARIANTS).map((name) => `| \`${name}\` |`)],
  [
    'history kept',
    [swaps, trades, tradesPerPool, faucetRecords].map((count) => `newest ${count.toLocaleString('en')} of`),
  ],
  [
    'candles kept',
    [
      Object.entries(candlesPerPool)
        .map(([interval, count]) => `${interval} ${count}`)
        .join(', '),
    ],
  ],
  [
    'windows',
    Object.entries(WINDOWS).map(([name, { interval, candles }]) => `${name}.*\\b${candles} of ${interval}`),
  ],
  ['blocks that introspection shows', [`the newest ${BLOCKS_KEPT} blocks`]],
  ['depth of a reorg', [`| ${REORG_DEPTH_MAX} blocks; `]],
])('docs/reference/chain.md matches the code: %s', (_, texts) => {
  expect(texts.filter((text) => !page.includes(text) && !new RegExp(text).test(page))).toEqual([])
})
