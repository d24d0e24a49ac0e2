import {
  byKind,
  type Encoder,
  type FieldsByKind,
  flag,
  integer,
  list,
  optional,
  record,
  text,
} from './encoder.ts'
import type { TokenDraft } from './event.ts'
import type { ConfigChange, FaucetGrant, Transaction } from './transaction.ts'

export const tokenText = record<TokenDraft>({
  id: text,
  address: text,
  symbol: text,
  name: text,
  decimals: integer,
  ammTokenProgram: text,
  underlyingProgram: optional(text),
  underlyingTokenId: optional(text),
  image: optional(text),
})

export const configChangeText = record<ConfigChange>({ scope: text, key: text })

const faucetGrantText = record<FaucetGrant>({ tokenId: text, amount: integer })

/** The fields of each kind, in the order in which they are written. */
export const TRANSACTION_FIELDS: FieldsByKind<Transaction> = {
  registerToken: { sender: text, token: tokenText },
  mintToken: { sender: text, tokenId: text, shares: list(record({ recipient: text, amount: integer })) },
  createPool: { sender: text, tokenA: text, tokenB: text, feePips: integer, sqrtPriceX96: integer },
  mintPosition: {
    sender: text,
    pool: text,
    tickLower: integer,
    tickUpper: integer,
    liquidity: integer,
    isPrivate: flag,
  },
  increasePosition: { sender: text, position: text, liquidity: integer },
  burnPosition: { sender: text, position: text, liquidity: integer },
  collectPosition: { sender: text, position: text, amount0Max: integer, amount1Max: integer },
  freezePosition: { sender: text, position: text },
  unfreezePosition: { sender: text, position: text },
  swap: {
    sender: text,
    recipient: text,
    tokenIn: text,
    pools: list(text),
    amountIn: integer,
    amountOutMin: integer,
    isPrivate: flag,
  },
  claim: { sender: text, swapId: text, amount: optional(integer) },
  changeConfig: { sender: text, change: configChangeText },
  collectProtocol: { sender: text, pool: text, recipient: text, amount0Max: integer, amount1Max: integer },
  setFaucet: { sender: text, grants: list(faucetGrantText) },
  claimFaucet: { sender: text, recipient: text },
}

/** What a transaction's id is the hash of. */
export const transactionText: Encoder<Transaction> = byKind(TRANSACTION_FIELDS)
