import http from 'k6/http'
import { CannotJudge } from '../verdict/cannot.ts'
import { readSignature } from './read-signature.ts'

const TIMEOUT = '10s'
const SILENCES_MAX = 2

/** How often each signer gave no answer at all: one that hangs would hold up every sign-in of the run. */
const silences = new Map<string, number>()

/** Has an endpoint sign the exact UTF-8 bytes of `message` in the name of `address`. Throws CannotJudge where it does not. */
export async function askSigner(url: string, asked: { address: string; message: string }): Promise<string> {
  const silent = silences.get(url) ?? 0
  if (silent >= SILENCES_MAX)
    throw new CannotJudge(`the signer was silent ${silent} times, and is asked no more`)
  const { status, body, error } = await http.asyncRequest('POST', url, JSON.stringify(asked), {
    headers: { 'Content-Type': 'application/json' },
    jar: new http.CookieJar(),
    redirects: 0,
    timeout: TIMEOUT,
    tags: { name: 'POST signer', route_group: 'signer' },
  })
  if (status === 0) silences.set(url, silent + 1)
  const read = readSignature({ status, body: typeof body === 'string' ? body : '', error })
  if ('problem' in read) throw new CannotJudge(read.problem)
  return read.signature
}
