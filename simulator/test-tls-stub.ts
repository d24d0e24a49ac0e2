/** For tests: a stub over TLS with its CA, and requests over HTTP/2 and HTTP/1.1. */
import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { onTestFinished } from 'vitest'
import { createAuthority } from './http/certificates.ts'
import { type Stub, startStub } from './stub.ts'
import type { StubOptions } from './stub-options.ts'

const VALIDITY = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T00:00:00Z') }

export type TlsStub = { stub: Stub; ca: string }

export async function startTls(options: Partial<StubOptions> = {}): Promise<TlsStub> {
  const authority = await createAuthority({ name: 'Test CA', ...VALIDITY })
  const tls = await authority.issue({ names: ['127.0.0.1'], ...VALIDITY })
  const given: StubOptions = { world: 'tiny', seed: 7, mutant: null, pace: 'manual', tls }
  const stub = await startStub({ ...given, ...options })
  onTestFinished(() => stub.close())
  return { stub, ca: authority.pem }
}

/** Result of a request; `error` is the code of the error that interrupted it. */
export type Outcome = { status: number; headers: IncomingHttpHeaders; body: string; error: string | null }

export type SendRequest = (
  path: string,
  options?: { method?: string; headers?: Record<string, string>; body?: object },
) => Promise<Outcome>

export function overHttp2({ stub, ca }: TlsStub): { send: SendRequest; session: ClientHttp2Session } {
  const session = connect(stub.profile.baseUrl, { ca })
  session.on('error', () => {}) // shows in each stream
  onTestFinished(() => session.destroy())
  const request: SendRequest = (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve) => {
      const type = body && { 'content-type': 'application/json' }
      const stream = session.request({ ':path': path, ':method': method, ...type, ...headers })
      const outcome: Outcome = { status: 0, headers: {}, body: '', error: null }
      stream.on('response', ({ ':status': status = 0, ...rest }) =>
        Object.assign(outcome, { status, headers: rest }),
      )
      stream.on('data', (chunk) => (outcome.body += chunk))
      stream.on('error', (error: NodeJS.ErrnoException) => (outcome.error = error.code ?? error.message))
      stream.on('close', () => resolve(outcome))
      stream.end(body && JSON.stringify(body))
    })
  return { send: request, session }
}

export function overHttp1({ stub, ca }: TlsStub): { send: SendRequest } {
  const send: SendRequest = async (path, { method = 'GET', headers = {}, body } = {}) => {
    const type = body && { 'content-type': 'application/json' }
    const options = { ca, method, agent: false, headers: { ...type, ...headers } }
    const request = httpsRequest(`${stub.profile.baseUrl}${path}`, options).end(body && JSON.stringify(body))
    const outcome: Outcome = { status: 0, headers: {}, body: '', error: null }
    try {
      const [response] = await once(request, 'response')
      Object.assign(outcome, { status: response.statusCode, headers: response.headers })
      for await (const chunk of response) outcome.body += chunk
    } catch (error) {
      outcome.error = String((error as NodeJS.ErrnoException).code) // as: an error of node:http
    }
    return outcome
  }
  return { send }
}
