import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { rootCertificates } from 'node:tls'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { EVERYBODYS_READ, whyNoExchange } from '../../contract/why-no-exchange.ts'
import { ENCODINGS, readBounded, TooLong } from '../read-bounded.ts'

const TIMEOUT_MS = 5000

/**
 * Makes sure that it is an exchange that answers; where nothing answers, that is for the load to judge. Throws a BreakwaterError
 * (environment) that names the address.
 */
export async function mustServe({ profile }: { profile: Profile }): Promise<void> {
  const address = `${profile.baseUrl.replace(/\/$/, '')}${EVERYBODYS_READ}`
  const problem = await ask(address, profile).then(whyNoExchange, (error) =>
    error instanceof TooLong ? error.message : undefined,
  )
  if (problem === undefined) return
  throw new BreakwaterError(`GET ${address}: ${problem}: that is no exchange`, {
    hint: 'Is baseUrl of the profile right, with the path before the routes? A load would find how fast that answer is.',
    exitCode: EXIT.environment,
  })
}

type Answer = { status: number; body: string }

async function ask(address: string, { headers, origin, ca }: Profile): Promise<Answer> {
  const get = address.startsWith('https:') ? httpsGet : httpGet
  const request = get(address, {
    headers: {
      ...headers,
      ...(origin === null ? {} : { Origin: origin }),
      // In place of what the profile asks for.
      'Accept-Encoding': ENCODINGS,
    },
    ...(ca === null ? {} : { ca: [...rootCertificates, await readFile(ca, 'utf8')] }),
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
    return { status: response.statusCode ?? 0, body: await readBounded(response) }
  } finally {
    request.on('error', () => {}).destroy()
  }
}
