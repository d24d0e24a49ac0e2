import { type IndexState, indexedToken } from '../index-state.ts'
import type { FaucetRecordView } from '../views/trade-views.ts'
import { appendItem, countAppended, HISTORY_LIMITS, itemNumbered, logLength } from './history-log.ts'

/** The amount of one token that an address got in one claim. */
export type FaucetRecord = {
  id: string
  recipient: string
  tokenId: string
  amount: bigint
  transaction: string
  block: number
  atMs: number
}

export function logFaucetRecord({ journal, faucetRecords }: IndexState, record: FaucetRecord): void {
  appendItem(journal, faucetRecords, record, HISTORY_LIMITS.faucetRecords)
}

/** Kept records of the address, oldest first. Scans all of them, since claims are few. */
export function listFaucetRecords(state: IndexState, address: string): readonly FaucetRecordView[] {
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
