import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { pipeline, type Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { rootCertificates } from 'node:tls'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { EVERYBODYS_READ, whyNoExchange } from '../../contract/why-no-exchange.ts'

const TIMEOUT_MS = 5000

/**
 * Makes sure that it is an exchange that answers; where nothing answers, that is for the load to judge. Throws a BreakwaterError
 * (environment) that names the address.
 */
export async function mustServe({ profile }: { profile: Profile }): Promise<void> {
  const address = `${profile.baseUrl.replace(/\/$/, '')}${EVERYBODYS_READ}`
  const answer = await ask(address, profile).catch(() => undefined)
  const problem = answer === undefined ? undefined : whyNoExchange(answer)
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
      'Accept-Encoding': Object.keys(DECODERS).join(', '),
    },
    ...(ca === null ? {} : { ca: [...rootCertificates, await readFile(ca, 'utf8')] }),
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
    return { status: response.statusCode ?? 0, body: await decoded(response) }
  } finally {
    request.on('error', () => {}).destroy()
  }
}

/** In place of what the profile asks for: k6 reads encodings that Node does not. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function decoded(response: IncomingMessage): Promise<string> {
  const decoder = DECODERS[response.headers['content-encoding'] ?? '']?.()
  // Its error is that of the text.
  return text(decoder === undefined ? response : pipeline(response, decoder, () => {}))
}
