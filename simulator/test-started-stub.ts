/** For tests: stubs over a small world, with sign-in and control calls as users make them. */
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Wallet } from '../contract/profile.ts'
import { challengeBodySchema } from '../contract/schemas/access.ts'
import { connectFeed } from './gateway/test-client.ts'
import { type Stub, startStub } from './stub.ts'
import type { StubOptions } from './stub-options.ts'

export const TINY: StubOptions = { world: 'tiny', seed: 7, mutant: null, pace: 'manual' }

export const ticketSchema = z.object({ data: z.object({ ticket: z.string() }) })

export async function start(options: Partial<StubOptions> = {}): Promise<Stub> {
  const stub = await startStub({ ...TINY, ...options })
  onTestFinished(() => stub.close())
  return stub
}

export async function authenticatedFeed(stub: Stub) {
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  const { data } = await get({ stub, path: '/auth/ws-ticket', headers }, ticketSchema)
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  feed.send({ action: 'authenticate', token: data.ticket })
  await feed.next('authenticated')
  return feed
}

/** As a browser does it: WebCrypto, and the cookies of the response. */
export async function signIn(stub: Stub, { address, privateKeyJwk }: Wallet): Promise<string> {
  if (!privateKeyJwk) throw new Error('demo wallets carry their key')
  const challenge = await postJson(`${stub.profile.baseUrl}/auth/challenge`, { address })
  const { data } = challengeBodySchema.parse(await challenge.json())
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', privateKeyJwk, algorithm, false, ['sign'])
  const bytes = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(data.message))
  const signature = Buffer.from(bytes).toString('hex')
  const response = await postJson(`${stub.profile.baseUrl}/auth/verify`, { address, signature })
  expect(response.status).toBe(200)
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

export async function control(stub: Stub, path: string, body: object) {
  const response = await postJson(`${stub.profile.control}${path}`, body, {
    authorization: `Bearer ${stub.controlToken}`,
  })
  expect(response.status).toBe(200)
  return response.json()
}

function postJson(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

export async function get<Schema extends z.ZodType>(
  { stub, path, headers = {} }: { stub: Stub; path: string; headers?: Record<string, string> },
  schema: Schema,
): Promise<z.output<Schema>> {
  const response = await fetch(`${stub.profile.baseUrl}${path}`, { headers })
  expect(response.status).toBe(200)
  return schema.parse(await response.json())
}
