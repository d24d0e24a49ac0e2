import { expect, test } from 'vitest'
import type { MutantName } from '../simulator/mutants/mutants.ts'
import { exploredStub } from '../tools/test/explored-stub.ts'
import { sessionHeaders } from './jar.ts'
import { type LiveSocket, openLiveSocket } from './live-socket.ts'
import type { Stage } from './run-sequence.ts'
import { FOREIGN_ROOM } from './sequence.ts'
import { openSession } from './sign-in.ts'

/** A socket that is authenticated for a session of the first wallet. */
async function openSocket({ target, wallets: [wallet] }: Stage): Promise<LiveSocket> {
  if (!wallet) throw new Error('no wallet')
  const { session } = await openSession(target, wallet)
  if (!session) throw new Error('no session')
  const headers = sessionHeaders(session, target.profile.choices)
  const { body } = await target.request({ method: 'GET', path: '/auth/ws-ticket', headers })
  const socket = await openLiveSocket(target)
  if (!socket) throw new Error('no socket')
  socket.send({ action: 'authenticate', token: (body as { data: { ticket: string } }).data.ticket }) // as: the stub's format
  return socket
}

test('a socket synchronizes, gets pongs, and says how it was closed', async () => {
  const stage = await exploredStub()
  const socket = await openSocket(stage)
  expect(await Promise.all([socket.synchronize(), socket.synchronize(), socket.settle()])).toEqual([
    true,
    true,
    true,
  ])
  expect(socket.closeCode()).toBeUndefined()
  stage.stub.inProcess.gateway.restart()
  expect(await socket.synchronize()).toBe(false)
  expect(socket.closeCode()).toBe(1012)
  expect(await socket.settle()).toBe(false)
})

test('compares the rooms of a socket with those of the witness', async () => {
  const stage = await exploredStub()
  const { witness } = stage
  expect(witness.rooms).toHaveLength(new Set(witness.rooms).size)
  expect(witness.rooms.slice(-3, -1)).toEqual(['pool_launches', 'protocol_config'])
  expect(witness.rooms[FOREIGN_ROOM]).toMatch(/^balances:/)
  const socket = await openSocket(stage)
  const [room = ''] = witness.rooms
  socket.send({ action: 'subscribe', room })
  socket.joined.add(0)
  // Place 1 is joined only as far as the client knows.
  socket.joined.add(1)
  const { isSynchronized, heard } = await witness.compare(socket)
  expect(isSynchronized).toBe(true)
  expect(heard?.[0]?.socket).toBeGreaterThan(0)
  expect(heard?.[1]).toMatchObject({ socket: 0 })
  expect(heard?.[1]?.witness).toBeGreaterThanOrEqual(3)
  expect(Object.keys(heard ?? {})).toEqual(['0', '1'])
})

test('compares the balance room of the witness', async () => {
  const compare = async (mutant: MutantName | null) => {
    const stage = await exploredStub({ mutant })
    const socket = await openSocket(stage)
    socket.send({ action: 'subscribe', room: stage.witness.rooms[FOREIGN_ROOM] ?? '' })
    socket.joined.add(FOREIGN_ROOM)
    const { heard } = await stage.witness.compare(socket)
    return heard?.[FOREIGN_ROOM]?.socket ?? 0
  }
  expect(await compare(null)).toBe(0)
  expect(await compare('ws-foreign-balances')).toBeGreaterThan(0)
})

test('shows nothing about a socket that is closed, or that must resynchronize', async () => {
  const stage = await exploredStub()
  const socket = await openSocket(stage)
  socket.joined.add(0)
  let resyncs = 0
  expect(await stage.witness.compare({ ...socket, resyncs: () => resyncs++ })).toEqual({
    isSynchronized: true,
  })
  // It is closed after `synchronized`.
  expect(await stage.witness.compare({ ...socket, closeCode: () => 4429 })).toEqual({ isSynchronized: true })
  socket.close()
  expect(await stage.witness.compare(socket)).toEqual({ isSynchronized: false })
})

test('counts the frames and pings of the last minute', async () => {
  const { target, ...stage } = await exploredStub()
  const socket = await openSocket({ target, ...stage })
  await Promise.all([socket.synchronize(), socket.settle()])
  expect(socket.recentlySent()).toBe(3)
  await target.pass(30_000)
  await socket.settle()
  expect(socket.recentlySent()).toBe(4)
  await target.pass(32_000)
  expect(socket.recentlySent()).toBe(1)
})
