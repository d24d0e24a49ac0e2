import type { FastifyPluginAsync } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import { z } from 'zod'
import { documentPage } from './document-page.ts'
import { addExamples, type ExampleOptions } from './examples.ts'

/** Serves the OpenAPI document for machines and people; covers the routes collected by describeRoutes. */
export const openApiRoutes: FastifyPluginAsync<ExampleOptions> = async (app, options) => {
  const described = once(() => finishDocument(app.swagger() as OpenAPIV3_1.Document, options))
  const json = once(() => JSON.stringify(described()))
  const page = once(() => documentPage(described()))
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

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

type Operation = OpenAPIV3_1.OperationObject

/** Final steps after all routes are described: examples, required headers, meaningless bounds. */
function finishDocument(described: OpenAPIV3_1.Document, options: ExampleOptions): OpenAPIV3_1.Document {
  const document = structuredClone(described)
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item as Record<string, Operation>)) {
      dropSafeIntegerBounds(operation.responses)
      requireHeaders(operation)
    }
  }
  dropSafeIntegerBounds(document.components?.schemas)
  addExamples(document, options)
  dropUnused(document)
  if (Object.keys(options.choices.extraFields).length > 0) openErrors(document)
  return document
}

/** The plugin cannot mark headers as required; all documented ones are. */
function requireHeaders({ responses = {} }: Operation): void {
  for (const response of Object.values(responses)) {
    if ('$ref' in response) continue
    for (const header of Object.values(response.headers ?? {}))
      if (!('$ref' in header)) header.required = true
  }
}

/** zod adds these bounds to every integer. Requests keep them: they are enforced. */
function dropSafeIntegerBounds(value: unknown): void {
  if (value === null || typeof value !== 'object') return
  const schema: { minimum?: unknown; maximum?: unknown } = value
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  for (const inner of Object.values(value)) dropSafeIntegerBounds(inner)
}

/** Errors may contain additional fields too. */
function openErrors({ components }: OpenAPIV3_1.Document): void {
  delete components?.schemas?.Error?.additionalProperties
}

/** Removes unreferenced schemas: the plugin emits each named one twice, as input and as output. */
function dropUnused(document: OpenAPIV3_1.Document): void {
  const schemas = document.components?.schemas ?? {}
  for (let unused = ['']; unused.length > 0; ) {
    const text = JSON.stringify(document)
    unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    for (const name of unused) delete schemas[name]
  }
}

/** Serves the description of the live feed; a document, so without an envelope. */
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
