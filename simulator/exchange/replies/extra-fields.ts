import type { Choices } from '../../choices/choices.ts'

/**
 * Serializes bodies, with the extra fields of the choices before their own: no body is empty. Trusts that each fits its schema, because
 * checking that takes a tenth of the CPU time of a hunt; the test bed checks it.
 */
export function createBodySerializer({ extraFields }: Choices): (body: unknown) => string {
  const head = extraFieldsText(extraFields)
  if (head === '') return (body) => JSON.stringify(body)
  return (body) => `{${head}${JSON.stringify(body).slice(1)}`
}

export function extraFieldsText(fields: Choices['extraFields']): string {
  const text = JSON.stringify(fields).slice(1, -1)
  return text && `${text},`
}
