import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INTERFACE_VERSION } from '../contract/limits.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { sampleNames } from '../tools/test/tree-sample.ts'
import { CHOICE_SETS } from './choices/choices.ts'
import { TAGS } from './exchange/openapi/describe-routes.ts'
import { type Stub, startStub } from './stub.ts'

type Operation = OpenAPIV3_1.OperationObject & { 'x-access': string }
type Media = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
type Content = { content?: Record<string, Media> }
type Parameter = { name: string; required: boolean; schema: object; example?: unknown }

const sets = sampleNames(Object.keys(CHOICE_SETS) as ChoiceSetName[], 1)

describe.each(sets)('choices %s', (choices) => {
  let stub: Stub
  let document: OpenAPIV3_1.Document
  let operations: [name: string, operation: Operation][]

  beforeAll(async () => {
    stub = await startStub({ world: 'tiny', seed: 7, choices, mutant: null, pace: 'manual' })
    document = await fetchDocument(stub)
    operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    )
  })
  afterAll(() => stub.close())

  test('is OpenAPI 3.1, in the version of the interface', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info.version).toBe(INTERFACE_VERSION)
    expect(operations.length).toBeGreaterThan(55)
  })

  test('each operation has a group, an access level and a summary', () => {
    const schemes = Object.keys(document.components?.securitySchemes ?? {})
    for (const [name, { tags, security = [], description, 'x-access': access }] of operations) {
      expect(Object.keys(TAGS), name).toEqual(expect.arrayContaining(tags ?? ['none']))
      expect(description, name).toMatch(/^.{10,}\n\nAccess: /s)
      const needed = security.map((requirement) => Object.keys(requirement))
      expect(schemes, name).toEqual(expect.arrayContaining(needed.flat()))
      if (name === 'POST /auth/refresh') expect(needed).toEqual([['refreshToken']])
      else expect(needed, name).toEqual(NEEDED[access]?.[name.startsWith('GET') ? 'reads' : 'writes'])
    }
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('documents the errors by code, and Retry-After', () => {
    const limited = document.paths?.['/explore/pools']?.get?.responses?.['429'] ?? {}
    const { content, headers } = limited as OpenAPIV3_1.ResponseObject
    expect(headers).toMatchObject({ 'Retry-After': { required: true } })
    const shown = CHOICE_SETS[choices].errors.code === 'shown'
    expect(Object.keys(content?.['application/json']?.examples ?? {})).toEqual([
      shown ? 'rate_limited' : 'error1',
    ])
    for (const [name, { responses = {}, 'x-access': access }] of operations) {
      expect(Object.keys(responses), name).toEqual(
        expect.arrayContaining(access === 'public' ? ['500'] : ['401', '429', '500']),
      )
    }
  })

  test('has an example of each operation, and every example fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'doc', components: document.components })
    const expectValid = (schema: object, value: unknown, what: string) => {
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components'))
      const validate = ajv.compile(absolute)
      expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`).toBe(true)
    }
    for (const [name, { parameters = [], requestBody, responses = {} }] of operations) {
      for (const { name: field, required, schema, example } of parameters as Parameter[]) {
        if (required) expect(example, `${name} ${field}`).toBeDefined()
        if (example !== undefined) expectValid(schema, example, `${name} ${field}`)
      }
      const body = (requestBody as Content | undefined)?.content?.['application/json']
      if (body) expectValid(body.schema, body.example, `${name}, the body`)
      const replies = Object.entries(responses).map(([status, response]) => ({
        status,
        media: (response as Content).content?.['application/json'],
      }))
      const success = replies.find(({ status }) => status.startsWith('2'))
      if (name !== 'GET /metrics') expect(success?.media?.example, name).toBeDefined()
      for (const { status, media } of replies) {
        if (!media) continue
        const values = Object.values(media.examples ?? {}).map(({ value }) => value)
        for (const value of media.example === undefined ? values : [...values, media.example])
          expectValid(media.schema, value, `${name} ${status}`)
      }
    }
  })

  test('is the same from each stub of a world and seed, and contains no secret of any', async () => {
    const other = await startStub({ world: 'tiny', seed: 7, choices, mutant: null, pace: 'manual' })
    expect(await fetchDocument(other)).toEqual(document)
    await other.close()
    const text = JSON.stringify(document)
    const [token] = /ss_[\w-]{20,}/.exec(text) ?? []
    expect(token).toBeDefined()
    const response = await fetch(`${stub.profile.baseUrl}/swaps`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(401)
    for (const secret of stub.apiTokens) expect(text).not.toContain(secret)
  })

  test('its examples name a pool, tokens and a block of the stub, so that public requests with them succeed', async () => {
    const publicReads = operations.filter(
      ([name, { 'x-access': access }]) => name.startsWith('GET ') && access === 'public',
    )
    for (const [name, { parameters = [] }] of publicReads) {
      let path = name.slice('GET '.length)
      const query = new URLSearchParams()
      for (const { name: field, in: place, example } of parameters as (Parameter & { in: string })[]) {
        if (place === 'path') path = path.replace(`{${field}}`, encodeURIComponent(String(example)))
        else if (example !== undefined) query.set(field, String(example))
      }
      const { status } = await fetch(`${stub.profile.baseUrl}${path}?${query}`)
      expect({ name, status }).toEqual({ name, status: 200 })
    }
  })

  test('is available as a page, too, which makes no other requests', async () => {
    const response = await fetch(`${stub.profile.baseUrl}/docs`)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'",
    )
    const page = await response.text()
    for (const [, { operationId }] of operations) expect(page).toContain(`<details id="${operationId}">`)
    for (const name of Object.keys(document.components?.schemas ?? {}))
      expect(page).toContain(`id="schema-${name}"`)
    expect(page).not.toMatch(/<script|<link|<img|\bsrc=|@import|url\(/)
    expect(
      [...page.matchAll(/href="([^"]*)"/g)].filter(([, to = '']) => !/^(#|\/openapi\.json$)/.test(to)),
    ).toEqual([])
  })
})

const NEEDED: Record<string, { reads: string[][]; writes: string[][] }> = {
  public: { reads: [], writes: [] },
  cred: { reads: [['session'], ['apiToken']], writes: [['session', 'csrfToken'], ['apiToken']] },
  session: { reads: [['session']], writes: [['session', 'csrfToken']] },
  admin: { reads: [['session']], writes: [['session', 'csrfToken']] },
}

async function fetchDocument({ profile }: Stub): Promise<OpenAPIV3_1.Document> {
  const response = await fetch(`${profile.baseUrl}/openapi.json`)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return (await response.json()) as OpenAPIV3_1.Document
}
