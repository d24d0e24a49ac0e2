import type { FastifySerializerCompiler } from 'fastify'
import type { Choices } from '../../choices/choices.ts'

/** Puts the extra fields of the choices before those of every body, whatever its schema: no body is empty. */
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

export function extraFieldsText(fields: Choices['extraFields']): string {
  const text = JSON.stringify(fields).slice(1, -1)
  return text && `${text},`
}
