import { createPrivateKey, sign } from 'node:crypto'
import { z } from 'zod'
import type { Profile, Wallet } from '../contract/profile.ts'
import { challengeBodySchema } from '../contract/schemas/access.ts'

export type BrowserSession = { cookie: string; csrfToken: string }

/** Signs a demo wallet in as a browser does. Throws if the exchange rejects it. */
export async function signInAs(wallet: Wallet, { baseUrl, choices }: Profile): Promise<BrowserSession> {
  const { address } = wallet
  const challenge = await post(`${baseUrl}/auth/challenge`, { address })
  const { data } = challengeBodySchema.parse(await challenge.json())
  const signature = signMessage(wallet, data.message).toString(choices.signature.encoding)
  const verified = await post(`${baseUrl}/auth/verify`, { address, signature })
  const cookies = verified.headers.getSetCookie().map((line) => line.split(';')[0])
  const csrfToken = z.string().parse(valueAt(await verified.json(), choices.verify.csrfToken ?? ''))
  return { cookie: cookies.join('; '), csrfToken }
}

export function signMessage({ privateKeyJwk }: Wallet, message: string): Buffer {
  const key = createPrivateKey({ key: privateKeyJwk ?? {}, format: 'jwk' })
  return sign('sha256', Buffer.from(message, 'utf8'), { key, dsaEncoding: 'ieee-p1363' })
}

/** Returns the value at a dotted path of a body, or undefined. */
export function valueAt(body: unknown, path: string): unknown {
  return path.split('.').reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], body)
}

async function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response
}
