import type { OpenAPIV3_1 } from 'openapi-types'

type Operation = OpenAPIV3_1.OperationObject
type Media = OpenAPIV3_1.MediaTypeObject
type Described = { method: string; path: string; operation: Operation }

/** Renders the document as one HTML file without scripts or further requests. */
export function documentPage(document: OpenAPIV3_1.Document): string {
  const { info, tags = [], components = {} } = document
  const operations = listOperations(document)
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title} ${info.version}</title>
<style>${{ html: STYLE }}</style>
<h1>${info.title} <small>${info.version}</small></h1>
${prose(info.description)}
<p>For machines: <a href="/openapi.json">/openapi.json</a></p>
<nav>${tags.map(({ name }) => html`<a href="#tag-${name}">${name}</a> `)}</nav>
${tags.map(({ name, description = '' }) => section(name, description, operations))}
<h2>Credentials</h2>
${Object.entries(components.securitySchemes ?? {}).map(([name, scheme]) => credential(name, scheme))}
<h2>Schemas</h2>
${Object.entries(components.schemas ?? {}).map(([name, schema]) => namedSchema(name, schema))}
</html>
`
  return page.html
}

function listOperations({ paths = {} }: OpenAPIV3_1.Document): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

function section(tag: string, description: string, operations: readonly Described[]): Html {
  const own = operations.filter(({ operation }) => operation.tags?.includes(tag))
  if (own.length === 0) return html``
  return html`<h2 id="tag-${tag}">${tag}</h2><p>${description}</p>${own.map(operationPart)}`
}

function operationPart({ method, path, operation }: Described): Html {
  const {
    operationId = '',
    description,
    parameters = [],
    requestBody,
    responses = {},
    security = [],
  } = operation
  const needs = security.map((scheme) => Object.keys(scheme).join(' and ')).join(', or ')
  const [line = ''] = (description ?? '').split('\n')
  return html`<details id="${operationId}"><summary><b>${method}</b> ${path} <small>${inline(line)}</small></summary>
${prose(description)}
${needs === '' ? html`` : html`<p>Credentials: ${needs}.</p>`}
${parameters.length === 0 ? html`` : parameterTable(parameters)}
${requestBody && !('$ref' in requestBody) ? html`<h4>Body</h4>${mediaPart(requestBody.content)}` : html``}
${Object.entries(responses).map(([status, response]) => responsePart(status, response))}
</details>`
}

function parameterTable(parameters: NonNullable<Operation['parameters']>): Html {
  const rows = parameters.map((parameter) => {
    if ('$ref' in parameter) return html``
    const { name, in: place, required, schema = {}, description = '', example } = parameter
    const given =
      'default' in schema ? `default: ${JSON.stringify(schema.default)}` : required ? 'required' : 'optional'
    return html`<tr><td><code>${name}</code><td>${place}<td>${schemaText(schema as Schema)}<td>${given}<td>${description}
<td>${example === undefined ? '' : html`<code>${String(example)}</code>`}</tr>`
  })
  return html`<table><tr><th>Parameter<th>in<th>Type<th><th><th>Example</tr>${rows}</table>`
}

function responsePart(
  status: string,
  response: OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.ResponseObject,
): Html {
  if ('$ref' in response) return html``
  const headers = Object.keys(response.headers ?? {})
  const headersNote = headers.length === 0 ? '' : ` (with ${headers.join(', ')})`
  return html`<h4>${status}</h4>${prose(response.description + headersNote)}${mediaPart(response.content ?? {})}`
}

function mediaPart(content: Record<string, Media>): Html {
  return html`${Object.entries(content).map(
    ([
      type,
      { schema, example },
    ]) => html`<p>${type}</p><pre>${schema ? schemaText(schema as Schema) : ''}</pre>
${example === undefined ? html`` : html`<details><summary>Example</summary><pre>${exampleText(example)}</pre></details>`}`,
  )}`
}

function exampleText(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2)
}

function credential(
  name: string,
  scheme: OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.SecuritySchemeObject,
): Html {
  if ('$ref' in scheme) return html``
  const place = scheme.type === 'apiKey' ? `${scheme.in} ${scheme.name}` : 'Authorization: Bearer'
  return html`<p><b>${name}</b> (${place}): ${inline(scheme.description ?? '')}</p>`
}

function namedSchema(name: string, schema: OpenAPIV3_1.SchemaObject): Html {
  return html`<h3 id="schema-${name}">${name}</h3>${prose(schema.description)}<pre>${schemaText(schema)}</pre>`
}

function prose(text = ''): Html {
  const paragraphs = text.split(/\n+/).filter((paragraph) => paragraph !== '')
  return html`${paragraphs.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`
}

function inline(text: string): Html {
  return html`${text.split('`').map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))}`
}

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow: auto; padding: .5rem; border: 1px solid #8886; border-radius: 4px; font-size: 13px; max-height: 30rem }
i { color: #888 }
details { border-bottom: 1px solid #8884; padding: .3rem 0 }
summary { cursor: pointer }
table { border-collapse: collapse; display: block; overflow: auto }
td, th { border: 1px solid #8884; padding: .2rem .5rem; text-align: left; vertical-align: top }
`

/** The part of JSON schema 2020-12 that the document uses. */
type Schema =
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

/** Renders a JSON schema like a type declaration: one field per line with its description, references as links. */
function schemaText(schema: Schema, indent = ''): Html {
  if (typeof schema === 'boolean') return html`${schema ? 'anything' : 'nothing'}`
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return joinWithOr(alternatives.map((one) => schemaText(one, indent)))
  if (schema.const !== undefined) return valueText(schema.const)
  if (schema.enum) return joinWithOr(schema.enum.map(valueText))
  return joinWithOr([schema.type ?? 'anything'].flat().map((type) => typeText(type, schema, indent)))
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

function shortened(pattern: string): string {
  return pattern.length > 60 ? `${pattern.slice(0, 30)}…${pattern.slice(-20)}` : pattern
}

function valueText(value: unknown): Html {
  return html`${JSON.stringify(value)}`
}

function joinWithOr(texts: readonly Html[]): Html {
  return html`${texts.flatMap((text, place) => (place === 0 ? [text] : [html` or `, text]))}`
}

/** HTML that is safe to insert. */
type Html = { readonly html: string }

/** Template tag: escapes values unless they are Html; concatenates lists. */
function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return { html: parts.map((part, index) => part + shown(values[index] ?? '')).join('') }
}

function shown(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string')
    return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}
