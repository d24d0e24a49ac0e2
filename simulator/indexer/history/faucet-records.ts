import { type IndexState, indexedToken } from '../index-state.ts'
import type { FaucetRecordView } from '../views/trade-views.ts'
import { appendItem, countAppended, HISTORY_LIMITS, itemNumbered, logLength } from './history-log.ts'

/** What an address got of one token, with one claim. */
export type FaucetRecord = {
  id: string
  recipient: string
  tokenId: string
  amount: bigint
  transaction: string
  block: number
  atMs: number
}

/** Keeps the record; those that become too old are dropped. */
export function logFaucetRecord({ journal, faucetRecords }: IndexState, record: FaucetRecord): void {
  appendItem(journal, faucetRecords, record, HISTORY_LIMITS.faucetRecords)
}

/** Those of the address that are kept, oldest first. It looks at all that are kept: claims are few. */
export function faucetRecordsOf(state: IndexState, address: string): readonly FaucetRecordView[] {
  const { faucetRecords } = state
  const end = countAppended(faucetRecords)
  const views: FaucetRecordView[] = []
  const oldest = end - Math.min(logLength(faucetRecords), HISTORY_LIMITS.faucetRecords)
  for (let number = oldest; number < end; number++) {
    const record = itemNumbered(faucetRecords, number)
    if (record?.recipient !== address) continue
    const { tokenId, ...rest } = record
    views.push({ ...rest, token: indexedToken(state, tokenId) })
  }
  return views
}
