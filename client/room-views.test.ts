import { expect, test } from 'vitest'
import { choicesSchema } from '../contract/profile.ts'
import { RIGHT_CONDUCT } from './conduct.ts'
import type { Exchange } from './exchange.ts'
import { createRoomViews, type RoomEvent } from './room-views.ts'
import { ExchangeError } from './send.ts'

const ROOM = 'trades:a/b:1'

test('keeps newer events that arrive during a load, and drops older ones', async () => {
  const { views, loads } = open()
  const first = views.refetch()
  views.apply(trade(4))
  views.apply(trade(6))
  loads[0]?.({ data: { observed_block: 5 } })
  await first
  expect(listBlocks(views.of(ROOM)?.events)).toEqual([6])

  views.apply(trade(7))
  const second = views.refetch()
  views.apply(trade(8))
  // The old view is used until the new one is loaded.
  expect(listBlocks(views.of(ROOM)?.events)).toEqual([6, 7, 8])
  loads[1]?.({ data: { observed_block: 7 } })
  await second
  expect(listBlocks(views.of(ROOM)?.events)).toEqual([8])
})

test('a load that a newer one has replaced changes nothing, whichever ends first', async () => {
  const { views, loads } = open()
  const refetches = [views.refetch(), views.refetch()]
  views.apply(trade(6))
  loads[0]?.({ data: { observed_block: 3 } })
  await refetches[0]
  expect(views.of(ROOM)).toBeUndefined()
  views.apply(trade(8))
  loads[1]?.({ data: { observed_block: 5 } })
  await refetches[1]
  expect(listBlocks(views.of(ROOM)?.events)).toEqual([6, 8])

  refetches.push(views.refetch(), views.refetch())
  loads[3]?.({ data: { observed_block: 9 } })
  await refetches[3]
  loads[2]?.({ data: { observed_block: 7 } })
  await refetches[2]
  expect(views.of(ROOM)?.snapshot).toEqual({ data: { observed_block: 9 } })
})

test('requests a pool by its exact key, and treats a removed pool as one without a snapshot', async () => {
  const { views, loads, paths } = open()
  const refetched = views.refetch()
  expect(paths).toEqual(['/pools/a%2Fb%3A1/trades'])
  loads[0]?.(new ExchangeError({ status: 404, headers: new Headers(), body: undefined }))
  await refetched
  expect(views.of(ROOM)).toEqual({ snapshot: undefined, events: [] })
})

test('ignores events of other rooms', async () => {
  const { views, loads } = open()
  const refetched = views.refetch()
  loads[0]?.({ data: {} })
  await refetched
  views.apply({ type: 'Trade', data: { pool: 'another' } })
  views.apply({ type: 'Unheard', data: { pool: 'a/b:1' } })
  expect(views.of(ROOM)?.events).toEqual([])
})

test('a BalanceChange may spell its address in another case than the room', async () => {
  const { views, loads } = open(['balances:0xAB'])
  const refetched = views.refetch()
  loads[0]?.({ data: {} })
  await refetched
  views.apply({ type: 'BalanceChange', data: { address: '0xab' } })
  views.apply({ type: 'BalanceChange', data: { address: '0xac' } })
  expect(views.of('balances:0xAB')?.events).toEqual([{ type: 'BalanceChange', data: { address: '0xab' } }])
})

/** Views of one room; the test responds to their loads. */
function open(rooms = [ROOM, 'protocol_config']) {
  const loads: ((answer: unknown) => void)[] = []
  const paths: string[] = []
  const get = (path: string) => {
    paths.push(path)
    return new Promise((resolve, reject) => {
      loads.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)))
    })
  }
  const views = createRoomViews({
    rooms,
    exchange: { get } as Exchange, // as: it sends no other request
    choices: choicesSchema.parse({}),
    conduct: RIGHT_CONDUCT,
  })
  return { views, loads, paths }
}

function trade(block: number): RoomEvent {
  return { type: 'Trade', data: { pool: 'a/b:1', block } }
}

function listBlocks(events: readonly RoomEvent[] = []) {
  return events.map(({ data }) => data.block)
}
