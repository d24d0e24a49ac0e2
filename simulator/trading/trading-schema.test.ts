import { expect, test } from 'vitest'
import { TRANSACTION_FIELDS } from '../chain/canonical-text.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createSmallWorld } from '../world/test-small-world.ts'
import { type Input, tradingOperations } from './trading-schema.ts'

const OPERATIONS = tradingOperations()
const RESERVED = [
  'changeConfig',
  'claimFaucet',
  'collectProtocol',
  'freezePosition',
  'setFaucet',
  'unfreezePosition',
]

test('every kind of transaction is an operation, except those of the administrator and the faucet', () => {
  const kinds = OPERATIONS.map((operation) => operation.function)
  expect([...kinds, ...RESERVED].sort()).toEqual(Object.keys(TRANSACTION_FIELDS).sort())
})

test.each(OPERATIONS.map((operation) => [operation.function, operation] as const))(
  'the inputs of %s are those that the chain reads, in its order, after the sender',
  (kind, { inputs, visibility, followUp }) => {
    expect(['sender', ...inputs.map(({ name }) => name)]).toEqual(Object.keys(TRANSACTION_FIELDS[kind]))
    expect(visibility).toBe(inputs.some(({ name }) => name === 'isPrivate') ? 'caller' : 'public')
    for (const { type, fields } of inputs) expect(fields !== undefined).toBe(/Token|Share/.test(type))
    for (const next of followUp) expect(OPERATIONS.map((operation) => operation.function)).toContain(next)
  },
)

const FITS: Record<string, (value: unknown) => boolean> = {
  boolean: (value) => typeof value === 'boolean',
  u128: (value) => typeof value === 'bigint' && value >= 0n && value < 1n << 128n,
  u160: (value) => typeof value === 'bigint' && value >= 0n && value < 1n << 160n,
  u32: (value) => typeof value === 'number' && value >= 0 && value < 2 ** 32,
  i32: (value) => typeof value === 'number' && Math.abs(value) < 2 ** 31,
  field: (value) => typeof value === 'string' && /^[1-9][0-9]*field$/.test(value),
  address: (value) => typeof value === 'string' && value.startsWith('bw1'),
  string: (value) => typeof value === 'string' && !/^bw1|field$/.test(value),
}

test('every transaction of a world fits its operation, and there are some of each', () => {
  const { world } = createSmallWorld(4)
  const seen: Transaction[] = []
  for (let round = 0; round < 12; round++) {
    const { recent } = world.state()
    for (const { submitted, drawn } of recent) seen.push(...submitted, ...drawn)
    world.mine(recent.length)
  }
  for (const operation of OPERATIONS) {
    const own = seen.filter(({ kind }) => kind === operation.function)
    expect([operation.function, own.length > 0]).toEqual([operation.function, true])
    for (const { kind: _, sender: __, ...inputs } of own)
      expect(misfits(inputs, operation.inputs)).toEqual([])
  }
})

type Fields = readonly Input[] | undefined

function misfits(value: object, fields: readonly Input[]): string[] {
  const values = new Map<string, unknown>(Object.entries(value))
  const unknown = [...values.keys()].filter((name) => !fields.some((field) => field.name === name))
  return [
    ...unknown.map((name) => `${name} is no input`),
    ...fields.flatMap(({ name, type, fields: inner }) =>
      misfit(values.get(name), type, inner).map((why) => `${name}: ${why}`),
    ),
  ]
}

function misfit(value: unknown, type: string, fields: Fields): string[] {
  const [, item] = /^\[(.*)\]$/.exec(type) ?? []
  if (type.endsWith('?'))
    return value === undefined || value === null ? [] : misfit(value, type.slice(0, -1), fields)
  if (item !== undefined)
    return Array.isArray(value) ? value.flatMap((one) => misfit(one, item, fields)) : ['not a list']
  if (fields) return misfits(value as object, fields) // as: misfits finds out
  return FITS[type]?.(value) ? [] : [`${String(value)} is no ${type}`]
}
