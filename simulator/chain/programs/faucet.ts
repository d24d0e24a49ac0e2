import { LIMITS } from '../../../contract/limits.ts'
import { putEntry, setFields } from '../../journal.ts'
import type { ChainEvent } from '../event.ts'
import { fieldFrom } from '../identifiers.ts'
import { changeBalance } from '../ledger.ts'
import type { Program } from '../program.ts'
import { Refusal } from '../refusal.ts'
import type { ChainState } from '../state.ts'
import type { FaucetGrant } from '../transaction.ts'

const FAUCET_INTERVAL_MS = LIMITS.faucetSeconds * 1000

/** Only the administrator says what the faucet gives. */
export const setFaucet: Program<'setFaucet'> = (state, { sender, grants }) => {
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  if (grants.some(({ tokenId }) => !state.tokens.has(tokenId))) throw new Refusal('token-unknown')
  if (grants.some(({ amount }) => amount <= 0n)) throw new Refusal('amount-not-positive')
  setFields(state.journal, state.faucet, { grants })
  return []
}

/** Anybody may ask for an address; it is the address that has to wait (specification, Limits). */
export const claimFaucet: Program<'claimFaucet'> = (state, { recipient }, { transactionId, timeMs }) => {
  const { grants, lastClaimMs } = state.faucet
  if (!grants) throw new Refusal('faucet-closed')
  const last = lastClaimMs.get(recipient)
  if (last !== undefined && timeMs - last < FAUCET_INTERVAL_MS) throw new Refusal('faucet-too-soon')
  putEntry(state.journal, lastClaimMs, recipient, timeMs)
  const records = grants.map((grant, index) => ({
    id: fieldFrom(`record/${transactionId}/${index}`),
    ...grant,
  }))
  return [
    { kind: 'faucetClaimed', recipient, records },
    ...grants.flatMap((grant) => mintTo(state, recipient, grant)),
  ]
}

function mintTo(state: ChainState, recipient: string, { tokenId, amount }: FaucetGrant): ChainEvent[] {
  const token = state.tokens.get(tokenId)
  if (token) setFields(state.journal, token, { supply: token.supply + amount })
  return [{ kind: 'tokenMinted', tokenId, amount }, changeBalance(state, recipient, tokenId, amount)]
}
