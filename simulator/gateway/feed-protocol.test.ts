// Validates frames of real sockets against the description of the feed that a stub serves.
import { Ajv, type ValidateFunction } from 'ajv'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../contract/limits.ts'
import { ROOM_EVENTS } from '../../contract/room-events.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../choices/choices.ts'
import { type Stub, startStub } from '../stub.ts'
import { connectFeed, type FeedClient, type Message } from './test-client.ts'

type Description = {
  asyncapi: string
  servers: { feed: { host: string } }
  channels: Record<string, { address: string; messages: Record<string, Reference> }>
  operations: Record<string, { action: string; channel: Reference; messages: Reference[] }>
  components: { messages: Record<string, { payload: object }> }
}
type Reference = { $ref: string }

const SETS = Object.keys(CHOICE_SETS) as ChoiceSetName[] // as: its keys

async function start(choices: ChoiceSetName): Promise<{ stub: Stub; description: Description }> {
  const stub = await startStub({ world: 'tiny', seed: 7, choices, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  const response = await fetch(`${stub.profile.baseUrl}/asyncapi.json`)
  expect(response.status).toBe(200)
  return { stub, description: (await response.json()) as Description } // as: the tests below check it
}

test.each(SETS)('%s: names the version, the host and a channel for each room', async (choices) => {
  const { stub, description } = await start(choices)
  expect(description.asyncapi).toBe('3.0.0')
  expect(`ws://${description.servers.feed.host}`).toBe(stub.profile.wsUrl)
  const addresses = Object.values(description.channels).map(({ address }) => address.replace(/\{.*\}/, ''))
  expect(addresses).toEqual(expect.arrayContaining(Object.keys(ROOM_EVENTS)))
})

test.each(SETS)('%s: every reference leads to something', async (choices) => {
  const { description } = await start(choices)
  const references = [...JSON.stringify(description).matchAll(/"\$ref":"([^"]*)"/g)].map(
    ([, path = '']) => path,
  )
  expect(references.length).toBeGreaterThan(30)
  for (const path of references) expect(follow(description, path), path).toBeDefined()
})

test.each(SETS)('%s: every frame of a busy world is one of the described messages', async (choices) => {
  const { stub, description } = await start(choices)
  const sockets = await joinEverything(stub, choices)
  const seen = new Map<string, Message[]>()
  const take = (messages: readonly Message[]) => {
    for (const message of messages) {
      const name = message.type ?? message.control ?? ''
      seen.set(name, [...(seen.get(name) ?? []), message])
    }
  }
  const takeAll = async () => {
    for (const socket of sockets) take(await socket.synchronize())
  }
  await takeAll()
  for (let round = 0; round < 5; round++) {
    stub.world.changeConfig({ scope: 'pause', key: 'global' })
    stub.world.mine(10)
    if (round === 2) stub.world.reorg(3)
    await takeAll()
  }
  const [socket] = sockets
  socket?.send({ action: 'synchronize' })
  take((await socket?.settle()) ?? [])
  // Either set responds to an invalid frame: with a control, or with a close.
  socket?.send({ action: 'subscribe', room: 'nonsense' })
  socket?.send('nonsense')
  take((await socket?.settle()) ?? [])

  const validators = compile(description)
  for (const [name, messages] of seen) {
    for (const message of messages) {
      const fitting = Object.entries(validators).filter(([, fits]) => fits(message))
      expect(fitting.length, `${name}: ${JSON.stringify(message)}`).toBe(1)
    }
  }
  expect([...seen.keys()]).toEqual(expect.arrayContaining(Object.values(ROOM_EVENTS)))
  for (const control of ['synchronized', 'resync_required']) expect(seen.has(control), control).toBe(true)
})

test('frames of clients are described messages: further fields are ignored, missing ones are not', async () => {
  const { description } = await start('default')
  const { subscribe, synchronize } = compile(description)
  expect(subscribe?.({ action: 'subscribe', room: 'pool_launches', more: 1 })).toBe(true)
  expect(subscribe?.({ action: 'subscribe' })).toBe(false)
  expect(synchronize?.({ action: 'subscribe', room: 'pool_launches' })).toBe(false)
})

test('a frame with an extra or a missing field is not a described message', async () => {
  const { description } = await start('default')
  const fits = compile(description).ProtocolConfigChanged
  const data = { id: '4', revision: 4, observed_block: 8, changes: [{ scope: 'pause', key: 'global' }] }
  const { id: _, ...less } = data
  expect(fits?.({ type: 'ProtocolConfigChanged', data })).toBe(true)
  expect(fits?.({ type: 'ProtocolConfigChanged', data: { ...data, more: 1 } })).toBe(false)
  expect(fits?.({ type: 'ProtocolConfigChanged', data: less })).toBe(false)
})

function compile({ components }: Description): Record<string, ValidateFunction> {
  const ajv = new Ajv({ allErrors: true })
  return Object.fromEntries(
    Object.entries(components.messages).map(([name, { payload }]) => [name, ajv.compile(payload)]),
  )
}

/** Resolves a JSON pointer of the document, following references. */
function follow(description: Description, path: string): unknown {
  return path
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, key) => {
      const next = (node as Record<string, unknown> | undefined)?.[key] // as: an object may have any key
      const { $ref } = (next ?? {}) as Partial<Reference> // as: may be one
      return typeof $ref === 'string' ? follow(description, $ref) : next
    }, description)
}

/** Two sockets that together join every room, including the balances of their wallets. */
async function joinEverything(stub: Stub, name: ChoiceSetName): Promise<FeedClient[]> {
  const choices = CHOICE_SETS[name]
  const { rows } = stub.world.views.pools({ limit: 1000, offset: 0 })
  const pools = rows.map(({ key }) => choices.wire.poolKey.encode(key))
  const rooms = Object.keys(ROOM_EVENTS)
    .filter((kind) => kind !== 'balances:')
    .flatMap((kind) => (kind.endsWith(':') ? pools.map((key) => `${kind}${key}`) : [kind]))
  const perSocket = LIMITS.wsRoomsPerConnection - 1
  const sockets: FeedClient[] = []
  for (let first = 0; first < rooms.length; first += perSocket) {
    const holder = sockets.length % stub.apiTokens.length
    const headers = { authorization: `Bearer ${stub.apiTokens[holder]}` }
    const response = await fetch(`${stub.profile.baseUrl}/auth/ws-ticket`, { headers })
    const client = await connectFeed(`${stub.profile.wsUrl}/ws`)
    const token = valueAt(await response.json(), choices.profile.wsTicket.ticket)
    client.send({ action: 'authenticate', token })
    // The tokens belong to the second and the third wallet.
    const balances = `balances:${stub.wallets[holder + 1]?.address}`
    for (const room of [balances, ...rooms.slice(first, first + perSocket)])
      client.send({ action: 'subscribe', room })
    sockets.push(client)
  }
  return sockets
}

function valueAt(body: unknown, path: string): unknown {
  // as: an object may have any key
  return path.split('.').reduce((node, key) => (node as Record<string, unknown>)?.[key], body)
}
