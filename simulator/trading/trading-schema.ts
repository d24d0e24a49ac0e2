/**
 * What a wallet has to put into the transactions that it builds itself: for each of the chain's kinds its inputs, in order.
 * The types hold the table to the chain's own: a kind or an input that is added there, taken away or changed is an error
 * here.
 */
import type { TokenDraft, Transaction } from '../chain/transaction.ts'

export type Visibility = 'public' | 'private' | 'caller'

export type Field = { name: string; type: string; description: string; visibility: Visibility }
export type Input = Field & { fields?: readonly Field[] }

export type Operation = {
  /** As the chain names the kind. */
  function: Transaction['kind']
  program: string
  description: string
  visibility: Visibility
  inputs: readonly Input[]
  /** Kinds that come next. */
  followUp: readonly Transaction['kind'][]
}

/** Every operation of trading, liquidity and tokens. */
export function tradingOperations(): readonly Operation[] {
  const kinds = Object.entries(OPERATIONS) as [Transaction['kind'], Draft | null][] // as: a constant's keys are all it has
  return kinds.flatMap(([kind, draft]) => (draft ? [operationOf(kind, draft)] : []))
}

function operationOf(
  kind: Transaction['kind'],
  { program, description, inputs, followUp = [] }: Draft,
): Operation {
  return {
    function: kind,
    program: PROGRAM_IDS[program],
    description,
    visibility: 'isPrivate' in inputs ? 'caller' : 'public',
    inputs: Object.entries(inputs).map(([name, input]) => inputOf(name, input)),
    followUp,
  }
}

function inputOf(name: string, [type, description, more]: InputDraft): Input {
  const visibility = more?.visibility ?? 'public'
  const shown = { name, type, description, visibility }
  if (!more?.fields) return shown
  return { ...shown, fields: Object.entries(more.fields).map(([inner, draft]) => inputOf(inner, draft)) }
}

const PROGRAM_IDS = { exchange: 'exchange.program', tokens: 'token_registry.program' } as const

/** How a value of the chain's own is typed in a transaction that a wallet builds. */
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

/** `?` after the type of what may be left out. */
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
  id: ['field', 'The id of the token, of its registrant’s choosing'],
  address: ['address', 'The address of the token'],
  symbol: ['string', 'Its symbol'],
  name: ['string', 'Its name'],
  decimals: ['u32', 'How many decimals a whole token has'],
  ammTokenProgram: ['string', 'The program that wraps it for the exchange'],
  underlyingProgram: ['string?', 'The program of the token that is wrapped'],
  underlyingTokenId: ['field?', 'The id of the token that is wrapped'],
  image: ['string?', 'The address of a picture'],
}

const SHARE: Inputs<Extract<Transaction, { kind: 'mintToken' }>['shares'][number]> = {
  recipient: ['address', 'Who gets the share'],
  amount: ['u128', 'In base units, above 0'],
}

/** Null: no operation of trading, liquidity or tokens, or reserved to the administrator. */
const OPERATIONS: { readonly [Kind in Transaction['kind']]: DraftOf<Kind> | null } = {
  swap: {
    program: 'exchange',
    description: 'Pays an exact input at once; the output waits until its recipient claims it.',
    inputs: {
      recipient: ['address', 'Who may claim the output', { visibility: 'caller' }],
      tokenIn: ['field', 'The id of the token that is paid'],
      pools: ['[field]', 'Keys of one to three pools, in order; none twice'],
      amountIn: ['u128', 'In base units, above 0'],
      amountOutMin: ['u128', 'The swap is refused if it gives less, in base units'],
      isPrivate: ['boolean', 'Whether the swap is shown to its user and its recipient alone'],
    },
    followUp: ['claim'],
  },
  claim: {
    program: 'exchange',
    description: 'Takes the output of a swap, all that remains of it or a part.',
    inputs: {
      swapId: ['field', 'The id of the swap'],
      amount: ['u128?', 'In base units; all that remains where it is left out'],
    },
  },
  createPool: {
    program: 'exchange',
    description: 'Opens a pool of two tokens at a fee tier, at a price.',
    inputs: {
      tokenA: ['field', 'The id of a token'],
      tokenB: ['field', 'The id of another'],
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
      tickLower: ['i32', 'Where the range begins: a multiple of the pool’s tick spacing'],
      tickUpper: ['i32', 'Where it ends'],
      liquidity: ['u128', 'How much, above 0'],
      isPrivate: ['boolean', 'Whether the position is shown to its owner alone'],
    },
    followUp: ['increasePosition', 'burnPosition', 'collectPosition'],
  },
  increasePosition: {
    program: 'exchange',
    description: 'Adds liquidity to a position and pays for it.',
    inputs: {
      position: ['field', 'The id of the position'],
      liquidity: ['u128', 'How much more, above 0'],
    },
    followUp: ['burnPosition', 'collectPosition'],
  },
  burnPosition: {
    program: 'exchange',
    description: 'Takes liquidity out of a position; what it is worth is owed until it is collected.',
    inputs: {
      position: ['field', 'The id of the position'],
      liquidity: ['u128', 'How much; 0 only brings the fees owed up to date'],
    },
    followUp: ['collectPosition'],
  },
  collectPosition: {
    program: 'exchange',
    description: 'Pays out what is owed to a position; one that has nothing left is closed.',
    inputs: {
      position: ['field', 'The id of the position'],
      amount0Max: ['u128', 'At most so much of token0, in base units'],
      amount1Max: ['u128', 'At most so much of token1, in base units'],
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
    description: 'Mints a token to its recipients; the administrator alone may.',
    inputs: {
      tokenId: ['field', 'The id of the token'],
      shares: ['[Share]', 'Who gets how much', { fields: SHARE }],
    },
  },
  freezePosition: null,
  unfreezePosition: null,
  changeConfig: null,
  collectProtocol: null,
  setFaucet: null,
  claimFaucet: null,
}
