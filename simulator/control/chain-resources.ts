/** Actions of a wallet on the chain itself, outside the exchange: clients of an exchange build and submit their own transactions. */
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { REFUSALS, type RefusedBecause } from '../chain/refusal.ts'
import type { Transaction } from '../chain/transaction.ts'
import { type Controlled, ControlRefusal, type Resource, resource } from './resource.ts'

const amount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,38})$/, 'expected base units: digits only, without leading zeros')
  .transform(BigInt)
const id = z.string().min(1).max(512)
const address = id.describe('The wallet that sends it, as the exchange writes addresses')
const transaction = z.string().describe('The id of the transaction')

/** Submitting mines the block with the transaction; a rejected transaction is an error with the chain's reason. */
export const CHAIN_RESOURCES: readonly Resource[] = [
  resource({
    method: 'POST',
    path: '/chain/swap',
    summary:
      'Swaps for a wallet through one to three pools, and mines the block with the swap. The chain holds the output until it is claimed.',
    input: z.strictObject({
      address,
      token_in: id,
      pools: z.array(id).min(1).max(LIMITS.routeHopsMax).describe('Keys of the pools, in order'),
      amount_in: amount,
      amount_out_min: amount.prefault('1'),
    }),
    output: z.strictObject({
      transaction,
      swap_id: z.string().describe('Id of the swap, as in /unclaimed and /swaps'),
      amount_out: z.string(),
    }),
    errors: ['transaction_refused'],
    respond(controlled, { address: sender, token_in, pools, amount_in, amount_out_min }) {
      const { wire } = controlled
      const wallet = decoded(wire.address, sender, 'address')
      const { receipt, ...mined } = mine(controlled, {
        kind: 'swap',
        sender: wallet,
        recipient: wallet,
        tokenIn: decoded(wire.tokenId, token_in, 'token_in'),
        pools: pools.map((key) => decoded(wire.poolKey, key, 'pools')),
        amountIn: amount_in,
        amountOutMin: amount_out_min,
        isPrivate: false,
      })
      const swap = receipt.events.find((event) => event.kind === 'swapExecuted')
      if (swap === undefined) throw new Error('an accepted swap has no event')
      return { ...mined, swap_id: swap.swapId, amount_out: String(swap.amountOut) }
    },
  }),
  resource({
    method: 'POST',
    path: '/chain/claim',
    summary: 'Claims the output of a swap for its recipient, and mines the block with the claim.',
    input: z.strictObject({
      address,
      swap_id: id,
      amount: amount.optional().describe('Default: all that remains'),
    }),
    output: z.strictObject({ transaction }),
    errors: ['transaction_refused'],
    respond(controlled, { address: sender, swap_id: swapId, amount: part }) {
      const wallet = decoded(controlled.wire.address, sender, 'address')
      const claim = { kind: 'claim', sender: wallet, swapId } as const
      const { transaction } = mine(controlled, part === undefined ? claim : { ...claim, amount: part })
      return { transaction }
    },
  }),
]

function mine({ world, node }: Pick<Controlled, 'world' | 'node'>, sent: Transaction) {
  const transaction = node.submit(sent)
  if (world.mining().mode !== 'on-demand') world.mine(1)
  const found = node.transaction(transaction)
  if (found?.status !== 'mined') throw new Error(`the transaction ${transaction} was not mined`)
  const { receipt } = found
  if (receipt.refused !== null) throw new ControlRefusal('transaction_refused', toReason(receipt.refused))
  return { transaction, receipt }
}

function toReason(refused: RefusedBecause): string {
  return refused in REFUSALS ? REFUSALS[refused as keyof typeof REFUSALS] : refused // as: its keys
}

function decoded(codec: { decode(text: string): string | undefined }, text: string, name: string): string {
  const value = codec.decode(text)
  if (value === undefined)
    throw new ControlRefusal('invalid_request', `${name}: ${text} is not valid for this exchange`)
  return value
}
