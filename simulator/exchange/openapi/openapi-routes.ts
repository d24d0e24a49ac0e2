import type { FastifyPluginAsync } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import { z } from 'zod'
import type { Choices } from '../../choices/choices.ts'
import { ADDRESS, AT_MS, UUID } from '../../choices/wire.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { ChainNode } from '../../world/chain-node.ts'
import { documentPage } from './document-page.ts'

type ExampleOptions = {
  choices: Choices
  views: Pick<Views, 'head' | 'pools' | 'tokens'>
  node: Pick<ChainNode, 'block'>
}

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

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  default?: unknown
  enum?: unknown[]
  examples?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | false
  items?: Schema
  minItems?: number
  format?: string
  pattern?: string
  minimum?: number
}

type MakeExample = (schema: Schema, name: string) => unknown

/**
 * Adds an example to each request body, JSON success response, required parameter and `limit`. The field name selects the value,
 * the choices its spelling. References, such as a pool, exist in the stub's world, so the requests work. No example is a secret of
 * any stub.
 */
function addExamples(document: OpenAPIV3_1.Document, options: ExampleOptions): void {
  const example = exampleMaker(document, namedValues(options))
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const segments = path.split('/')
    for (const operation of Object.values(item as Record<string, OpenAPIV3_1.OperationObject>)) {
      for (const parameter of operation.parameters ?? []) {
        if ('$ref' in parameter || !(parameter.required || parameter.name === 'limit')) continue
        const owner = segments[segments.indexOf(`{${parameter.name}}`) - 1]
        parameter.example = example((parameter.schema ?? {}) as Schema, `${owner}.${parameter.name}`)
      }
      const successes = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'))
      for (const body of [operation.requestBody, ...successes.map(([, response]) => response)]) {
        const media = body && 'content' in body ? body.content?.['application/json'] : undefined
        if (media) media.example = example((media.schema ?? {}) as Schema, '')
      }
    }
  }
}

function exampleMaker({ components }: OpenAPIV3_1.Document, values: NamedValues): MakeExample {
  const example: MakeExample = (schema, name) => {
    const { $ref, properties, additionalProperties, items, anyOf, examples, enum: among } = schema
    if ($ref) return example((components?.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {}) as Schema, name)
    const stated = [schema.const, examples?.[0], schema.default, among?.[0]].find(
      (each) => each !== undefined,
    )
    if (stated !== undefined) return stated
    if (anyOf) return example(anyOf[0] ?? {}, name)
    if (items) return Array.from({ length: schema.minItems ?? 1 }, () => example(items, name))
    if (properties)
      return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, example(each, key)]))
    if (additionalProperties) return { [name]: example(additionalProperties, name) }
    return primitive(schema, name, values)
  }
  return example
}

function primitive(schema: Schema, name: string, values: NamedValues): unknown {
  const own = name.split('.').at(-1) ?? ''
  const named = values[name] ?? values[own] ?? (/(_at|At)$/.test(own) ? values.timestamp : undefined)
  const { type, minimum = 1 } = schema
  const others = type?.includes('null') ? [null] : [AMOUNT, UUID, API_TOKEN, ...(values.address ?? []), false]
  const found = [...(named ?? []), ...others].find((each) => each === null || matchesSchema(schema, each))
  return found === undefined ? minimum : found
}

function matchesSchema({ type, format, pattern = '' }: Schema, value: unknown): boolean {
  const isOfType = [type].flat().some((each) => (each === 'integer' ? 'number' : each) === typeof value)
  return isOfType && new RegExp(pattern).test(String(value)) && (format !== 'uuid' || value === UUID)
}

/** Default: a text without a named value is an exact number. */
const AMOUNT = '1250000'

const API_TOKEN = 'ss_example-only-opens-no-door'

/** By `owner.name` for a path parameter, then by name; the first value that fits the schema is used. */
type NamedValues = Readonly<Record<string, readonly (string | number)[]>>

function namedValues({ choices: { wire, challenge }, views, node }: ExampleOptions): NamedValues {
  const [pool] = views.pools({ limit: 1, offset: 0 }).rows
  const wrapper = views.tokens().find(({ underlyingProgram }) => underlyingProgram !== null)
  const { hash } = views.head()
  const transaction = node.block(hash)?.receipts[0]?.id ?? hash
  const address = wire.address.encode(ADDRESS)
  const program = 'exchange.program'
  const named = (value: string | number, ...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, [value]]))
  return {
    timestamp: [wire.timestamp(AT_MS), AT_MS],
    start: [wire.timestamp(AT_MS)],
    ...named(wire.expiry(AT_MS), 'access_expires_at', 'until'),
    ...named(AT_MS, 'trade_timestamp', 'serverTime', 'publishTime', 'validUntil'),
    ...named(address, 'address', 'owner', 'user', 'recipient', 'sender', 'issued_to', 'redeemed_by'),
    ...named(wire.poolKey.encode(pool?.key ?? ''), 'key', 'pool', 'pool_id', 'ticker_id'),
    ...named(
      wire.tokenId.encode(pool?.token0.id ?? ''),
      ...['id', 'token_id', 'token', 'token0', 'token_in', 'input_token', 'base', 'base_currency'],
    ),
    ...named(
      wire.tokenId.encode(pool?.token1.id ?? ''),
      ...['token1', 'token_out', 'output_token', 'target', 'target_currency', 'underlying_token_id'],
    ),
    ...named(pool?.token0.symbol ?? '', 'symbol', 'search', 'token0Symbol'),
    ...named(pool?.token1.symbol ?? '', 'token1Symbol'),
    ...named('Example token', 'token0Name', 'token1Name'),
    ...named(hash, 'hash', 'parent_hash', 'block_hash', 'block'),
    ...named(
      transaction,
      ...['transaction', 'transaction.id', 'transactions', 'last_transaction_hash', 'swap_tx_hash'],
      ...['tx_id', 'claim_tx', 'trade_id', 'swap_id'],
    ),
    ...named(program, 'program', 'program.id'),
    ...named(wrapper?.ammTokenProgram ?? program, 'amm_token_program', 'ammTokenProgram'),
    ...named(wrapper?.underlyingProgram ?? program, 'underlying_program'),
    ...named(wire.sessionId.encode(UUID), 'session_id'),
    ...named(UUID, 'api-tokens.id', 'nonce'),
    ...named(challenge.message({ address, nonce: UUID, issuedAtMs: AT_MS }), 'message'),
    ...named('0'.repeat(128), 'signature'),
    ...named('example-only-of-no-session', 'csrf_token', 'xsrf', 'ticket'),
    ...named('ss_exam', 'token_prefix'),
    ...named('trading bot', 'name'),
    ...named(30, 'expires_in_days'),
    ...named(2, 'limit'),
    ...named(3000, 'fee_tier'),
    ...named(6, 'decimals', 'token0Decimals', 'token1Decimals'),
    ...named('pools', 'mapping'),
    ...named('swap', 'function', 'kind', 'source'),
    ...named('public', 'visibility'),
    ...named('u128', 'type'),
    ...named('For example', 'description', 'reason', 'error', 'follow_up', 'status'),
  }
}
