import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { text } from 'node:stream/consumers'
import { rootCertificates } from 'node:tls'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'

/** A public read that every exchange has. */
const PATH = '/tokens'
const TIMEOUT_MS = 5000

/**
 * Makes sure that it is an exchange that answers: a web server that has never heard of it is quick, and its speed would pass for
 * capacity. Trouble (5xx, 429, no answer) and a refusal of who asks (401, 403) are for the load to judge. Throws a
 * BreakwaterError (environment) that names the address.
 */
export async function mustServe({ profile }: { profile: Profile }): Promise<void> {
  const address = `${profile.baseUrl.replace(/\/$/, '')}${PATH}`
  const answer = await ask(address, profile).catch(() => undefined)
  const problem = answer === undefined ? undefined : problemOf(answer)
  if (problem === undefined) return
  throw new BreakwaterError(`GET ${address}: ${problem}: that is no exchange`, {
    hint: 'Is baseUrl of the profile right, with the path before the routes? A load would find how fast that answer is.',
    exitCode: EXIT.environment,
  })
}

type Answer = { status: number; body: string }

function problemOf({ status, body }: Answer): string | undefined {
  if (JUDGED.includes(status) || status >= 500) return undefined
  if (status !== 200) return `answered ${status}; expected 200`
  return isJson(body) ? undefined : 'answered 200, and no JSON'
}

const JUDGED: readonly number[] = [401, 403, 429]

function isJson(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

async function ask(address: string, { headers, origin, ca }: Profile): Promise<Answer> {
  const get = address.startsWith('https:') ? httpsGet : httpGet
  const request = get(address, {
    headers: { ...headers, ...(origin === null ? {} : { Origin: origin }) },
    ...(ca === null ? {} : { ca: [...rootCertificates, await readFile(ca, 'utf8')] }),
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
    return { status: response.statusCode ?? 0, body: await text(response) }
  } finally {
    request.on('error', () => {}).destroy()
  }
}
