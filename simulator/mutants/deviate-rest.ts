import type { FastifyRequest, onSendHookHandler } from 'fastify'
import type { Auth } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Steps } from '../exchange/pipeline.ts'
import { payloadText } from '../http/transports.ts'
import type { Body, DeviationRequest, RestDeviation } from './deviation.ts'

type Options = { choices: Choices; clock: Clock; auth: Auth }
type Prepared = RestDeviation & {
  holds: (incoming: DeviationRequest) => boolean
  names: readonly string[] | undefined
}

/** Pipeline steps for the exchange; empty for deviations that leave REST unchanged. */
export function deviateRest({
  deviations,
  ...options
}: Options & { deviations: readonly RestDeviation[] }): Steps {
  const prepared = deviations.map(
    (deviation): Prepared => ({
      ...deviation,
      names: deviation.routes?.(options.choices),
      holds: deviation.when?.() ?? (() => true),
    }),
  )
  const ofRequests = prepared.filter(({ request, needs, read }) => request || needs || read)
  const ofReplies = prepared.filter(({ reply }) => reply)
  return {
    ...(ofRequests.length > 0 && changeRequests(ofRequests, options)),
    ...(ofReplies.length > 0 && { response: changeReplies(ofReplies, options) }),
  }
}

function changeRequests(deviations: readonly Prepared[], options: Options): Steps {
  const reading = new WeakMap<FastifyRequest, Prepared[]>()
  return {
    request(request, _reply, done) {
      const incoming = describeRequest(request, options)
      for (const deviation of deviations) {
        const { needs, read, request: send, holds } = deviation
        if (!isAbout(deviation, request) || !holds(incoming)) continue
        if (needs) request.otherNeeds = needs
        if (read) reading.set(request, [...(reading.get(request) ?? []), deviation])
        send?.(incoming)
      }
      done()
    },
    body(request, _reply, done) {
      const { body } = request
      for (const { read } of reading.get(request) ?? []) {
        if (typeof body === 'object' && body !== null)
          read?.(body as Record<string, unknown>, options.choices) // as: checked to be an object
      }
      done()
    },
  }
}

function changeReplies(deviations: readonly Prepared[], options: Options): onSendHookHandler {
  const first = new Map<string, string>()
  const newest = new Map<string, string>()

  return (request, reply, payload, done) => {
    const mine = deviations.filter((deviation) => isAbout(deviation, request))
    if (mine.length === 0) return done(null, payload)
    let text = payloadText(payload)
    const { originalUrl, credential } = request
    const own = `${originalUrl} ${typeof credential === 'string' ? '' : credential.address}`
    const kept = { cached: newest.get(originalUrl), first: first.get(own) }
    if (isSuccess(reply.statusCode)) {
      newest.set(originalUrl, text)
      if (!first.has(own)) first.set(own, text)
    }
    for (const deviation of mine) {
      const incoming = { ...describeRequest(request, options), status: reply.statusCode, body: parse(text) }
      if (!deviation.reply || !appliesTo(deviation, incoming) || !deviation.holds(incoming)) continue
      const sent = deviation.reply({ ...incoming, ...kept, reply, text })
      if (reply.statusCode !== incoming.status) request.failure = null
      if (sent && 'ending' in sent) {
        request.ending = sent.ending
        break
      }
      text = sent ? sent.text : incoming.body ? JSON.stringify(incoming.body) : text
    }
    reply.removeHeader('content-length')
    done(null, text)
  }
}

function isAbout({ names }: Prepared, { method, routeOptions }: FastifyRequest): boolean {
  return names?.includes(`${method} ${routeOptions.url}`) ?? true
}

function appliesTo({ of }: Prepared, { status }: DeviationRequest): boolean {
  return of ? of.includes(status) : isSuccess(status)
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function describeRequest(request: FastifyRequest, options: Options): DeviationRequest {
  const query = new URL(request.originalUrl, 'http://localhost').searchParams
  return { request, ...options, query, status: 0, body: undefined }
}

function parse(text: string): Body | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
