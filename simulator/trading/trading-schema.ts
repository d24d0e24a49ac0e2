/**
 * Inputs of the transactions that wallets build, in order, for each of the chain's kinds. The types check the table against the
 * chain's: a kind or an input that is added, removed or changed there is an error here.
 */
import type { TokenDraft, Transaction } from '../chain/transaction.ts'

export type Visibility = 'public' | 'private' | 'caller'

export type Field = { name: string; type: string; description: string; visibility: Visibility }
export type Input = Field & { fields?: readonly Field[] }

export type Operation = {
  function: Transaction['kind']
  program: string
  description: string
  visibility: Visibility
  inputs: readonly Input[]
  followUp: readonly Transaction['kind'][]
}

export function tradingOperations(): readonly Operation[] {
  const kinds = Object.entries(OPERATIONS) as [Transaction['kind'], Draft | null][] // as: a constant's keys are all it has
  return kinds.flatMap(([kind, draft]) => (draft ? [describeOperation(kind, draft)] : []))
}

function describeOperation(
  kind: Transaction['kind'],
  { program, description, inputs, followUp = [] }: Draft,
): Operation {
  return {
    function: kind,
    program: PROGRAM_IDS[program],
    description,
    visibility: 'isPrivate' in inputs ? 'caller' : 'public',
    inputs: Object.entries(inputs).map(([name, input]) => describeInput(name, input)),
    followUp,
  }
}

function describeInput(name: string, [type, description, more]: InputDraft): Input {
  const visibility = more?.visibility ?? 'public'
  const shown = { name, type, description, visibility }
  if (!more?.fields) return shown
  return {
    ...shown,
    fields: Object.entries(more.fields).map(([inner, draft]) => describeInput(inner, draft)),
  }
}

const PROGRAM_IDS = { exchange: 'exchange.program', tokens: 'token_registry.program' } as const

/** Type name of a chain value in a transaction that a wallet builds. */
type TypeOf<Value> = Value extends boolean
  ? 'boolean'
  : Value extends bigint
    ? 'u128' | 'u160'
    : Value extends number
      ? 'u32' | 'i32'
      : Value extends string
        ? 'field' | 'address' | 'string'
        : Value extends readonly (infer Item)[]
          ? `[${TypeOf<Item>}]`
          : Value extends null | undefined
            ? never
            : 'Token' | 'Share'

/** `?` after the type marks an optional value. */
type Typed<Value> = [Extract<Value, null | undefined>] extends [never]
  ? TypeOf<Value>
  : `${TypeOf<NonNullable<Value>>}?`

type More = { visibility?: Visibility; fields?: Readonly<Record<string, InputDraft>> }
type InputDraft = readonly [type: string, description: string, more?: More]
type Inputs<Value> = {
  readonly [Name in keyof Value]-?: readonly [type: Typed<Value[Name]>, description: string, more?: More]
}

type Draft = {
  program: keyof typeof PROGRAM_IDS
  description: string
  inputs: Readonly<Record<string, InputDraft>>
  followUp?: readonly Transaction['kind'][]
}
type DraftOf<Kind extends Transaction['kind']> = Draft & {
  inputs: Inputs<Omit<Extract<Transaction, { kind: Kind }>, 'kind' | 'sender'>>
}

const TOKEN: Inputs<TokenDraft> = {
  id: ['field', 'The id of the token, chosen by its registrant'],
  address: ['address', 'The address of the token'],
  symbol: ['string', 'Its symbol'],
  name: ['string', 'Its name'],
  decimals: ['u32', 'The number of decimals of a whole token'],
  ammTokenProgram: ['string', 'The program that wraps it for the exchange'],
  underlyingProgram: ['string?', 'The program of the underlying token'],
  underlyingTokenId: ['field?', 'The id of the underlying token'],
  image: ['string?', 'The address of an image'],
}

const SHARE: Inputs<Extract<Transaction, { kind: 'mintToken' }>['shares'][number]> = {
  recipient: ['address', 'The recipient of the share'],
  amount: ['u128', 'In base units, above 0'],
}

/** null: not an operation of trading, liquidity or tokens, or reserved to the administrator. */
const OPERATIONS: { readonly [Kind in Transaction['kind']]: DraftOf<Kind> | null } = {
  swap: {
    program: 'exchange',
    description: 'Pays an exact input at once; the output waits until its recipient claims it.',
    inputs: {
      recipient: ['address', 'The wallet that may claim the output', { visibility: 'caller' }],
      tokenIn: ['field', 'The id of the token that is paid'],
      pools: ['[field]', 'Keys of one to three distinct pools, in order'],
      amountIn: ['u128', 'In base units, above 0'],
      amountOutMin: ['u128', 'Minimum output, in base units; the swap is rejected below it'],
      isPrivate: ['boolean', 'Whether only its user and its recipient see the swap'],
    },
    followUp: ['claim'],
  },
  claim: {
    program: 'exchange',
    description: 'Claims the output of a swap, all that remains or a part of it.',
    inputs: {
      swapId: ['field', 'The id of the swap'],
      amount: ['u128?', 'In base units; default: all that remains'],
    },
  },
  createPool: {
    program: 'exchange',
    description: 'Opens a pool of two tokens at a fee tier, at a price.',
    inputs: {
      tokenA: ['field', 'The id of a token'],
      tokenB: ['field', 'The id of the other token'],
      feePips: ['u32', 'A fee tier, in hundredths of a basis point'],
      sqrtPriceX96: ['u160', 'The square root of the price, token1 for token0 in base units, times 2^96'],
    },
    followUp: ['mintPosition'],
  },
  mintPosition: {
    program: 'exchange',
    description: 'Opens a position and pays for its liquidity.',
    inputs: {
      pool: ['field', 'The key of the pool'],
      tickLower: ['i32', 'The lower end of the range: a multiple of the pool’s tick spacing'],
      tickUpper: ['i32', 'The upper end of the range'],
      liquidity: ['u128', 'The liquidity, above 0'],
      isPrivate: ['boolean', 'Whether only its owner sees the position'],
    },
    followUp: ['increasePosition', 'burnPosition', 'collectPosition'],
  },
  increasePosition: {
    program: 'exchange',
    description: 'Adds liquidity to a position and pays for it.',
    inputs: {
      position: ['field', 'The id of the position'],
      liquidity: ['u128', 'The liquidity to add, above 0'],
    },
    followUp: ['burnPosition', 'collectPosition'],
  },
  burnPosition: {
    program: 'exchange',
    description: 'Removes liquidity from a position; its amounts are owed until collected.',
    inputs: {
      position: ['field', 'The id of the position'],
      liquidity: ['u128', 'The liquidity to remove; 0 only updates the fees owed'],
    },
    followUp: ['collectPosition'],
  },
  collectPosition: {
    program: 'exchange',
    description: 'Pays out what is owed to a position; closes an empty one.',
    inputs: {
      position: ['field', 'The id of the position'],
      amount0Max: ['u128', 'The maximum amount of token0, in base units'],
      amount1Max: ['u128', 'The maximum amount of token1, in base units'],
    },
  },
  registerToken: {
    program: 'tokens',
    description: 'Registers a token.',
    inputs: { token: ['Token', 'The token', { fields: TOKEN }] },
    followUp: ['mintToken'],
  },
  mintToken: {
    program: 'tokens',
    description: 'Mints a token to its recipients; only for the administrator.',
    inputs: {
      tokenId: ['field', 'The id of the token'],
      shares: ['[Share]', 'The recipients and their amounts', { fields: SHARE }],
    },
  },
  freezePosition: null,
  unfreezePosition: null,
  changeConfig: null,
  collectProtocol: null,
  setFaucet: null,
  claimFaucet: null,
}
