import type { OpenAPIV3_1 } from 'openapi-types'
import { type Html, html } from './html.ts'
import { type Schema, schemaText } from './schema-text.ts'

type Operation = OpenAPIV3_1.OperationObject
type Media = OpenAPIV3_1.MediaTypeObject
type Described = { method: string; path: string; operation: Operation }

/** The document as a page to read: one file, without scripts, which asks for nothing else. */
export function documentPage(document: OpenAPIV3_1.Document): string {
  const { info, tags = [], components = {} } = document
  const operations = operationsOf(document)
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

function operationsOf({ paths = {} }: OpenAPIV3_1.Document): Described[] {
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
      'default' in schema
        ? `by default ${JSON.stringify(schema.default)}`
        : required
          ? 'required'
          : 'optional'
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
  const told = headers.length === 0 ? '' : ` (with ${headers.join(', ')})`
  return html`<h4>${status}</h4>${prose(response.description + told)}${mediaPart(response.content ?? {})}`
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

/** Paragraphs, and code between backquotes. */
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
