/** Lets a deviation change requests before their routes see them, and responses as they go out. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Auth } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import { cutAfter, resetConnection } from '../http/transports.ts'
import type { Asked, Body, RestDeviation } from './deviation.ts'

type Options = { choices: Choices; clock: Clock; auth: Auth }
type Prepared = RestDeviation & { holds: (asked: Asked) => boolean; names: readonly string[] | undefined }

/** Registers the hooks; to be called once it is known who makes the request, and ahead of faults and limits. */
export function deviateRest(
  app: FastifyInstance,
  { deviations, ...options }: Options & { deviations: readonly RestDeviation[] },
): void {
  const prepared = deviations.map(
    (deviation): Prepared => ({
      ...deviation,
      names: deviation.routes?.(options.choices),
      holds: deviation.when?.() ?? (() => true),
    }),
  )
  const ofRequests = prepared.filter(({ ask, needs, read }) => ask || needs || read)
  if (ofRequests.length > 0) changeRequests(app, ofRequests, options)
  const ofReplies = prepared.filter(({ reply }) => reply)
  if (ofReplies.length > 0) changeReplies(app, ofReplies, options)
}

function changeRequests(app: FastifyInstance, deviations: readonly Prepared[], options: Options): void {
  const reading = new WeakMap<FastifyRequest, Prepared[]>()
  app.addHook('onRequest', (request, _reply, done) => {
    const asked = askedBy(request, options)
    for (const deviation of deviations) {
      const { needs, read, ask, holds } = deviation
      if (!isAbout(deviation, request) || !holds(asked)) continue
      if (needs) request.otherNeeds = needs
      if (read) reading.set(request, [...(reading.get(request) ?? []), deviation])
      ask?.(asked)
    }
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { body } = request
    for (const { read } of reading.get(request) ?? []) {
      if (typeof body === 'object' && body !== null) read?.(body as Record<string, unknown>, options.choices) // as: an object
    }
    done()
  })
}

function changeReplies(app: FastifyInstance, deviations: readonly Prepared[], options: Options): void {
  const first = new Map<string, string>()
  const newest = new Map<string, string>()

  app.addHook('onSend', (request, reply, payload, done) => {
    const mine = deviations.filter((deviation) => isAbout(deviation, request))
    if (mine.length === 0) return done(null, payload)
    let text = textOf(payload)
    const { originalUrl, credential } = request
    const own = `${originalUrl} ${typeof credential === 'string' ? '' : credential.address}`
    const kept = { cached: newest.get(originalUrl), first: first.get(own) }
    if (isSuccess(reply.statusCode)) {
      newest.set(originalUrl, text)
      if (!first.has(own)) first.set(own, text)
    }
    for (const deviation of mine) {
      const asked = { ...askedBy(request, options), status: reply.statusCode, body: parse(text) }
      if (!deviation.reply || !isOf(deviation, asked) || !deviation.holds(asked)) continue
      const sent = deviation.reply({ ...asked, ...kept, reply, text })
      if (sent === 'hang') return undefined
      if (sent === 'reset') return resetConnection(request)
      if (sent && 'cutAfterBytes' in sent) return cutAfter(reply, text, sent.cutAfterBytes)
      text = sent ? sent.text : asked.body ? JSON.stringify(asked.body) : text
    }
    reply.removeHeader('content-length')
    done(null, text)
  })
}

function isAbout({ names }: Prepared, { method, routeOptions }: FastifyRequest): boolean {
  return names?.includes(`${method} ${routeOptions.url}`) ?? true
}

function isOf({ of }: Prepared, { status }: Asked): boolean {
  return of ? of.includes(status) : isSuccess(status)
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function askedBy(request: FastifyRequest, options: Options): Asked {
  const query = new URL(request.originalUrl, 'http://localhost').searchParams
  return { request, ...options, query, status: 0, body: undefined }
}

function textOf(payload: unknown): string {
  if (typeof payload === 'string') return payload
  return payload instanceof Uint8Array ? Buffer.from(payload).toString() : ''
}

function parse(text: string): Body | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
