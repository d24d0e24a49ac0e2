import type { FastifyPluginAsync } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Choices } from '../../choices/choices.ts'
import { documentPage } from './document-page.ts'
import type { Examples } from './examples.ts'
import { finishDocument } from './finish-document.ts'

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
