/** Test helpers: a stub in real use, and the findings of its observer. */
import { onTestFinished } from 'vitest'
import { connectFeed, type FeedClient } from '../gateway/test-client.ts'
import { type Stub, startStub } from '../stub.ts'
import type { StubOptions } from '../stub-options.ts'

/** A stub with an observer. Closed with the test. */
export async function start(options: Partial<StubOptions> = {}): Promise<Stub> {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    pace: 'manual',
    ...options,
  })
  onTestFinished(() => stub.close())
  return stub
}

export async function control(stub: Stub, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${stub.profile.control}${path}`, {
    headers: { authorization: `Bearer ${stub.controlToken}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, unknown> // as: the control API returns objects
}

type Found = { rule: string; client: string; observed: string; evidence: object[] }

export async function findings(stub: Stub): Promise<Found[]> {
  return (await control(stub, '/findings')).findings as Found[]
}

export const rulesFound = async (stub: Stub) => (await findings(stub)).map(({ rule }) => rule)

export const send = ({ profile }: Stub, path: string, init: RequestInit = {}) =>
  fetch(`${profile.baseUrl}${path}`, init)

export const bearer = ({ apiTokens }: Stub, place = 0) => ({
  headers: { authorization: `Bearer ${apiTokens[place]}` },
})

/** A new ticket of one of the stub's API tokens. */
export async function ticket(stub: Stub, place = 0): Promise<string> {
  const { data } = (await (await send(stub, '/auth/ws-ticket', bearer(stub, place))).json()) as {
    data: { ticket: string }
  }
  return data.ticket
}

export const connect = ({ profile }: Stub, more = '') => connectFeed(`${profile.wsUrl}/ws${more}`)

export async function authenticated(stub: Stub): Promise<FeedClient> {
  const feed = await connect(stub)
  feed.send({ action: 'authenticate', token: await ticket(stub) })
  await feed.next('authenticated')
  return feed
}
