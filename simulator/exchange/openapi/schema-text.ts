import { type Html, html } from './html.ts'

/** As much of JSON schema 2020-12 as stands in the document. */
export type Schema =
  | boolean
  | {
      $ref?: string
      description?: string
      type?: string | readonly string[]
      const?: unknown
      enum?: readonly unknown[]
      anyOf?: readonly Schema[]
      oneOf?: readonly Schema[]
      properties?: Readonly<Record<string, Schema>>
      required?: readonly string[]
      additionalProperties?: Schema
      items?: Schema
      format?: string
      pattern?: string
      minLength?: number
      maxLength?: number
      minimum?: number
      maximum?: number
    }
type SchemaObject = Exclude<Schema, boolean>

/** A JSON schema as people write a type down: fields line by line with what they mean, references as links. */
export function schemaText(schema: Schema, indent = ''): Html {
  if (typeof schema === 'boolean') return html`${schema ? 'anything' : 'nothing'}`
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return oneOf(alternatives.map((one) => schemaText(one, indent)))
  if (schema.const !== undefined) return valueText(schema.const)
  if (schema.enum) return oneOf(schema.enum.map(valueText))
  return oneOf([schema.type ?? 'anything'].flat().map((type) => typeText(type, schema, indent)))
}

function typeText(type: string, schema: SchemaObject, indent: string): Html {
  if (type === 'object') return objectText(schema, indent)
  if (type === 'array') return html`[${schemaText(schema.items ?? true, indent)}]`
  return html`${type}${boundsText(type, schema)}`
}

function objectText(
  { properties = {}, required = [], additionalProperties }: SchemaObject,
  indent: string,
): Html {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?'
    const meaning = typeof property === 'object' ? property.description : undefined
    return html`${inner}${name}${mark}: ${schemaText(property, inner)}${meaning ? html`  <i>${meaning}</i>` : ''}\n`
  })
  if (typeof additionalProperties === 'object')
    lines.push(html`${inner}…: ${schemaText(additionalProperties, inner)}\n`)
  return lines.length === 0 ? html`{}` : html`{\n${lines}${indent}}`
}

/** What a value of the type is held to. */
function boundsText(type: string, schema: SchemaObject): string {
  const { minimum, maximum, minLength, maxLength, format, pattern } = schema
  const ofString = [
    format,
    rangeText(minLength, maxLength, ' characters'),
    pattern && `/${shortened(pattern)}/`,
  ]
  const ofNumber = [rangeText(minimum, maximum)]
  const texts = type === 'string' ? ofString : type === 'integer' ? ofNumber : []
  const given = texts.filter((text) => text !== undefined && text !== '')
  return given.length === 0 ? '' : ` (${given.join(', ')})`
}

function rangeText(min: number | undefined, max: number | undefined, unit = ''): string | undefined {
  if (min === undefined && max === undefined) return undefined
  if (max === undefined) return `${min} or more${unit}`
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`
}

/** Patterns of bounds are long. */
function shortened(pattern: string): string {
  return pattern.length > 60 ? `${pattern.slice(0, 30)}…${pattern.slice(-20)}` : pattern
}

function valueText(value: unknown): Html {
  return html`${JSON.stringify(value)}`
}

function oneOf(texts: readonly Html[]): Html {
  return html`${texts.flatMap((text, place) => (place === 0 ? [text] : [html` or `, text]))}`
}
