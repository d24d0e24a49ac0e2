import { addMember, putEntry, setFields } from '../../journal.ts'
import { changeBalance } from '../ledger.ts'
import type { Program } from '../program.ts'
import { Refusal } from '../refusal.ts'

/** Anybody registers a token; what the administrator registers is on the allowlist at once. */
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

/** Only the administrator mints. */
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
