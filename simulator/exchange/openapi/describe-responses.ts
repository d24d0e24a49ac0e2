import { STATUS_CODES } from 'node:http'
import type { Choices } from '../../choices/choices.ts'

type JsonSchema = {
  description?: string
  examples?: { code?: string | null }[]
  headers?: object
  [key: string]: unknown
}
export type Responses = Record<string, JsonSchema>

/**
 * Responses as the plugin takes them: under statuses that are exact and in words of HTTP, with errors all in one schema, in
 * JSON whatever a success comes as, and an example for each code.
 */
export function describeResponses(responses: Responses, { createdStatus, extraFields }: Choices): Responses {
  const isOpen = Object.keys(extraFields).length > 0
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const exact = status === '2XX' || status === '2xx' ? String(createdStatus) : status
      return [exact, Number(exact) >= 400 ? errorResponse(schema) : success(exact, schema, isOpen)]
    }),
  )
}

function success(status: string, schema: JsonSchema, isOpen: boolean): JsonSchema {
  const { additionalProperties: _closed, ...open } = schema
  return { 'x-response-description': STATUS_CODES[status] ?? status, ...(isOpen ? open : schema) }
}

function errorResponse({ description = '', examples = [], headers }: JsonSchema): JsonSchema {
  const named = examples.map((value, index) => [value.code ?? `error${index + 1}`, { value }] as const)
  const media = { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(named) }
  return { description, content: { 'application/json': media }, ...(headers && { headers }) }
}
