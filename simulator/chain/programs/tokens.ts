import { LIMITS } from '../../../contract/limits.ts'
import { addMember, putEntry, setFields } from '../../undo-log.ts'
import { fieldFrom } from '../identifiers.ts'
import { changeBalance } from '../ledger.ts'
import { Refusal } from '../refusal.ts'
import type { ChainState, Program } from '../state.ts'
import type { ChainEvent, FaucetGrant } from '../transaction.ts'

/** Anyone may register a token; the administrator's tokens are on the allowlist immediately. */
export const registerToken: Program<'registerToken'> = (state, { sender, token }) => {
  if (state.tokens.has(token.id)) throw new Refusal('token-exists')
  putEntry(state.journal, state.tokens, token.id, { ...token, supply: 0n })
  if (sender !== state.administrator) return [{ kind: 'tokenRegistered', token }]
  addMember(state.journal, state.allowlist.tokens, token.id)
  return [
    { kind: 'tokenRegistered', token },
    { kind: 'tokenListed', tokenId: token.id, listed: true },
  ]
}

export const mintToken: Program<'mintToken'> = (state, { sender, tokenId, shares }) => {
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  const token = state.tokens.get(tokenId)
  if (!token) throw new Refusal('token-unknown')
  if (shares.some(({ amount }) => amount <= 0n)) throw new Refusal('amount-not-positive')
  const amount = shares.reduce((sum, share) => sum + share.amount, 0n)
  setFields(state.journal, token, { supply: token.supply + amount })
  return [
    { kind: 'tokenMinted', tokenId, amount },
    ...shares.map((share) => changeBalance(state, share.recipient, tokenId, share.amount)),
  ]
}

const FAUCET_INTERVAL_MS = LIMITS.faucetSeconds * 1000

export const setFaucet: Program<'setFaucet'> = (state, { sender, grants }) => {
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  if (grants.some(({ tokenId }) => !state.tokens.has(tokenId))) throw new Refusal('token-unknown')
  if (grants.some(({ amount }) => amount <= 0n)) throw new Refusal('amount-not-positive')
  setFields(state.journal, state.faucet, { grants })
  return []
}

/** Anyone may claim for any address; the wait applies to the recipient (specification, Limits). */
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
