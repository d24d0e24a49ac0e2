import type { FastifyPluginAsync } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import { z } from 'zod'
import type { Choices } from '../../choices/choices.ts'
import { documentPage } from './document-page.ts'

export type OpenApiOptions = {
  choices: Choices
  /** Asked for once, as the document is. */
  examples: () => Promise<Examples>
}

/** The description of the interface, for machines and for people; of the routes collected by describeRoutes. */
export const openApiRoutes: FastifyPluginAsync<OpenApiOptions> = async (app, { choices, examples }) => {
  const described = once(async () =>
    finishDocument(app.swagger() as OpenAPIV3_1.Document, { examples: await examples(), choices }),
  )
  const json = once(async () => JSON.stringify(await described()))
  const page = once(async () => documentPage(await described()))
  const route = { config: { access: 'public' }, schema: { hide: true } } as const

  app.get('/openapi.json', route, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8')
    return json()
  })
  app.get('/docs', route, async (_request, reply) => {
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    })
    return page()
  })
}

/** Made when it is first asked for; once more where that failed. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

type Operation = OpenAPIV3_1.OperationObject
type Media = OpenAPIV3_1.MediaTypeObject

/** What is left to be done once all routes are described: examples, headers that are always there, bounds that say nothing. */
function finishDocument(
  described: OpenAPIV3_1.Document,
  { examples, choices }: { examples: Examples; choices: Choices },
): OpenAPIV3_1.Document {
  const document = structuredClone(described)
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      dropSafeIntegerBounds(operation.responses)
      requireHeaders(operation)
      const example = examples.get(`${method.toUpperCase()} ${path}`)
      if (example) addExample(operation, example)
    }
  }
  dropSafeIntegerBounds(document.components?.schemas)
  dropUnused(document)
  if (Object.keys(choices.extraFields).length > 0) openErrors(document)
  return document
}

/** The plugin has no word for headers that are always there; those that are told of are. */
function requireHeaders({ responses = {} }: Operation): void {
  for (const response of Object.values(responses)) {
    if ('$ref' in response) continue
    for (const header of Object.values(response.headers ?? {}))
      if (!('$ref' in header)) header.required = true
  }
}

function addExample(operation: Operation, { path, query, body, status, answer }: Example): void {
  for (const parameter of operation.parameters ?? []) {
    if ('$ref' in parameter) continue
    const text = (parameter.in === 'path' ? path : query)[parameter.name]
    if (text !== undefined) parameter.example = isInteger(parameter.schema) ? Number(text) : text
  }
  const request = operation.requestBody
  if (request && !('$ref' in request)) setExample(request.content, body)
  const response = operation.responses?.[status]
  if (response && !('$ref' in response)) setExample(response.content, answer)
}

/** Of JSON alone: figures in another form are of the moment. */
function setExample(content: Record<string, Media> | undefined, example: unknown): void {
  const media = content?.['application/json']
  if (media) media.example = example
}

function isInteger(schema: OpenAPIV3_1.ParameterObject['schema']): boolean {
  return schema !== undefined && 'type' in schema && schema.type === 'integer'
}

/** With which zod writes every integer. Requests are held to them, so there they stay. */
function dropSafeIntegerBounds(value: unknown): void {
  if (value === null || typeof value !== 'object') return
  const schema: { minimum?: unknown; maximum?: unknown } = value
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  for (const inner of Object.values(value)) dropSafeIntegerBounds(inner)
}

/** Fields that nobody asked for come in errors, too. */
function openErrors({ components }: OpenAPIV3_1.Document): void {
  delete components?.schemas?.Error?.additionalProperties
}

/** Schemas that no other part refers to: each that has a name comes twice, as input and as output. */
function dropUnused(document: OpenAPIV3_1.Document): void {
  const schemas = document.components?.schemas ?? {}
  for (let unused = ['']; unused.length > 0; ) {
    const text = JSON.stringify(document)
    unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    for (const name of unused) delete schemas[name]
  }
}

/** A request that was made, and the body of its answer. */
export type Example = {
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body?: unknown
  status: number
  answer: unknown
}

/** By operation, such as `GET /pools/{key}`. */
export type Examples = ReadonlyMap<string, Example>

/** The live feed, described for machines: a document, so not in an envelope. */
export const asyncApiRoutes: FastifyPluginAsyncZod<{ asyncApi: () => object }> = async (
  app,
  { asyncApi },
) => {
  let document: object | undefined

  app.get(
    '/asyncapi.json',
    {
      config: { access: 'public' },
      schema: { hide: true, response: { 200: z.looseObject({ asyncapi: z.string() }) } },
    },
    () => {
      document ??= asyncApi()
      return document as { asyncapi: string } // as: the serializer checks it
    },
  )
}
