import swagger, { type SwaggerTransform } from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { INTERFACE_VERSION } from '../../../contract/interface-version.ts'
import type { Choices } from '../../choices/choices.ts'
import { nameComponents } from './components.ts'
import { describeResponses, type Responses } from './describe-responses.ts'
import { ACCESS_TEXTS, securityOf, securitySchemes } from './security.ts'
import { TAGS, tagOf } from './tags.ts'

/**
 * Collects the routes that are registered from here on: afterwards `app.swagger()` gives the OpenAPI 3.1 document that their
 * schemas make, to be finished by finishDocument. https://spec.openapis.org/oas/v3.1.1.html
 */
export async function describeRoutes(app: FastifyInstance, choices: Choices): Promise<void> {
  nameComponents()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Exchange trading interface', version: INTERFACE_VERSION, description: DESCRIPTION },
      servers: [{ url: '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: securitySchemes(choices) },
    },
    convertConstToEnum: false,
    transform: describeRoute(choices),
    transformObject: createJsonSchemaTransformObject({}),
  })
}

const DESCRIPTION = [
  'REST interface of an on-chain token exchange with concentrated liquidity, as the stub serves it; the live feed is apart.',
  'Exact values are strings. Numbers of a query come in plain digits: no sign, no exponent, no leading zeros.',
  'A page goes on by `offset` until `data` is empty. An error has `error`, mostly `code`, and `ref`, by which the log knows it.',
].join('\n')

function describeRoute(choices: Choices): SwaggerTransform {
  return (given) => {
    const { schema, url } = toJsonSchema(given)
    if (schema.hide) return { schema, url }
    const method = [given.route.method].flat()[0] ?? 'GET'
    const access = given.route.config?.access ?? 'session'
    const described = schema.description === undefined ? [] : [schema.description]
    const own: FastifySchema = {
      tags: [tagOf(url, choices)],
      operationId: operationId(method, url),
      description: [...described, ACCESS_TEXTS[access]].join('\n\n'),
      security: schema.security ?? securityOf(access, method),
      response: describeResponses((schema.response ?? {}) as Responses, choices),
    }
    return { schema: { ...schema, ...own, 'x-access': access }, url }
  }
}

/** Of inputs, zod tells no default where what comes in is transformed; numbers stand for themselves. */
const toJsonSchema = createJsonSchemaTransform({
  zodToJsonConfig: {
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      if (def.type === 'default' && typeof def.defaultValue === 'number')
        jsonSchema.default = def.defaultValue
    },
  },
})

/** `GET /pools/:key/trades` is `getPoolsKeyTrades`. */
function operationId(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}
