import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySerializerCompiler } from 'fastify'
import type { Choices } from '../../choices/choices.ts'
import type { MutantName } from '../../mutants/mutants.ts'

/** A JSON body as it goes out, to be changed in place or replaced. */
export type Body = { data?: unknown } & Record<string, unknown>

/** How a mutant changes what is answered, once all else is done. */
export type Alteration = {
  /** Routes as they are registered, such as `GET /pools/:key`; every route where they are left out. */
  routes?: readonly string[]
  /** Which answers; those of 2xx where it is left out. */
  statuses?: (status: number) => boolean
  alter(answer: { body: Body; reply: FastifyReply; request: FastifyRequest; choices: Choices }): unknown
}

/** Lets a mutant spoil answers: whatever makes them knows nothing of it. */
export function alterAnswers(
  app: FastifyInstance,
  options: {
    mutant: MutantName | null
    choices: Choices
    alterations: Readonly<Partial<Record<MutantName, Alteration>>>
  },
): void {
  const { mutant, choices } = options
  const alteration = mutant && options.alterations[mutant]
  if (!alteration) return
  const { routes, statuses = isSuccess, alter } = alteration
  app.addHook('onSend', async (request, reply, payload) => {
    const { method, routeOptions } = request
    if (!statuses(reply.statusCode)) return payload
    if (routes && !routes.includes(`${method} ${routeOptions.url}`)) return payload
    const body = typeof payload === 'string' || payload instanceof Uint8Array ? parse(payload) : undefined
    if (!body) return payload
    const altered = alter({ body, reply, request, choices }) ?? body
    reply.removeHeader('content-length')
    return typeof altered === 'string' ? altered : JSON.stringify(altered)
  })
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function parse(payload: string | Uint8Array): Body | undefined {
  try {
    return JSON.parse(Buffer.from(payload).toString())
  } catch {
    return undefined
  }
}

/** Puts the fields of the choices before those of every body, whatever its schema: no body is empty. */
export function withExtraFields<Schema>(
  compile: FastifySerializerCompiler<Schema>,
  { extraFields }: Choices,
): FastifySerializerCompiler<Schema> {
  const head = extraFieldsText(extraFields)
  if (head === '') return compile
  return (route) => {
    const serialize = compile(route)
    return (body) => `{${head}${serialize(body).slice(1)}`
  }
}

/** As they stand in a body, with a comma after each. */
export function extraFieldsText(fields: Choices['extraFields']): string {
  const text = JSON.stringify(fields).slice(1, -1)
  return text && `${text},`
}
