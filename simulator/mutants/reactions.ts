/** Changes to a response, or to a request before the route sees it. */
import { findEventPath } from '../../contract/room-events.ts'
import type { Choices } from '../choices/choices.ts'
import { valueAt } from '../demo-client.ts'
import type { Deviation, DeviationRequest, DeviationResponse, RestDeviation, Sent } from './deviation.ts'

export type Fields = Record<string, unknown>
type Reaction = (response: DeviationResponse) => Sent

type Routes = string | readonly string[] | ((choices: Choices) => string | readonly string[])

/** A deviation of one or more routes. */
export function rest(routes: Routes, deviation: Omit<RestDeviation, 'routes'>): Deviation {
  const named = (choices: Choices) => [typeof routes === 'function' ? routes(choices) : routes].flat()
  return { rest: [{ ...deviation, routes: named }] }
}

/** Replaces the response, headers included, with an error. */
export function error(statusCode: number, message = 'something went wrong'): Reaction {
  return ({ reply }) => {
    reply.removeHeader('set-cookie')
    reply.removeHeader('retry-after')
    reply.code(statusCode).type('application/json; charset=utf-8')
    return { text: JSON.stringify({ error: message }) }
  }
}

export function statusOnly(statusCode: number): Reaction {
  return ({ reply }) => void reply.code(statusCode)
}

export function success(body: (response: DeviationResponse) => object): Reaction {
  return (response) => {
    response.reply.code(200).type('application/json; charset=utf-8')
    return { text: JSON.stringify(body(response)) }
  }
}

/** A page without rows, with the limit and the offset of the request. */
export function emptyPage(total: number): Reaction {
  return success(({ request }) => {
    const { searchParams } = new URL(request.url, 'http://localhost')
    const read = (name: string, fallback: number) =>
      Number.parseInt(searchParams.get(name) ?? '', 10) || fallback
    return { data: [], pagination: { total, limit: read('limit', 20), offset: read('offset', 0) } }
  })
}

/** An HTML page, as a proxy sends it. */
export function page(statusCode: number): Reaction {
  return ({ reply }) => {
    reply.removeHeader('set-cookie')
    reply.code(statusCode).type('text/html; charset=utf-8')
    return { text: `<html><body><h1>${statusCode}</h1></body></html>` }
  }
}

/** Ends the body and the connection after `bytes`. */
export function cut(bytes: number): Reaction {
  return () => ({ ending: { do: 'cut', afterBytes: bytes } })
}

/** Never responds, and keeps the connection open. */
export const hang: Reaction = () => ({ ending: { do: 'hang' } })

export const reset: Reaction = () => ({ ending: { do: 'reset' } })

/** The newest successful response to the same URL for any credential (default: the usual response). */
export const fromCache: Reaction = ({ cached, reply }) => {
  if (cached === undefined) return undefined
  reply.removeHeader('set-cookie')
  reply.code(200)
  return { text: cached }
}

/** The first response to the same URL, for good. */
export const stale: Reaction = ({ first }) => (first === undefined ? undefined : { text: first })

export function edit(change: (body: Fields, response: DeviationResponse) => void): Reaction {
  return (response) => {
    if (response.body) change(response.body, response)
    return undefined
  }
}

export function editAt(
  path: string | ((choices: Choices) => string),
  change: (value: Fields, response: DeviationResponse) => void,
): Reaction {
  return edit((body, response) => {
    const value = valueAt(body, typeof path === 'string' ? path : path(response.choices))
    if (typeof value === 'object' && value !== null) change(value as Fields, response) // as: checked to be an object
  })
}

/** Changes rows of `data`; `number` counts from 0. */
export function editRows(
  change: (row: Fields, number: number, response: DeviationResponse) => void,
): Reaction {
  return edit((body, response) => {
    const rows = (Array.isArray(body.data) ? body.data : [body.data]) as Fields[] // as: rows, or one record
    for (const [number, row] of rows.entries()) if (row) change(row, number, response)
  })
}

export function rows(change: (rows: Fields[], response: DeviationResponse) => readonly unknown[]): Reaction {
  return edit((body, response) => {
    if (Array.isArray(body.data)) body.data = change(body.data, response)
  })
}

export function text(change: (text: string, response: DeviationResponse) => string): Reaction {
  return (response) => ({ text: change(response.text, response) })
}

/** Changes each cookie that is set; undefined deletes it. */
export function cookies(
  change: (cookie: string, names: Choices['profile']['cookies']) => string | undefined,
): Reaction {
  return ({ reply, choices }) => {
    const set = [reply.getHeader('set-cookie') ?? []].flat().map(String)
    reply.removeHeader('set-cookie')
    reply.header(
      'set-cookie',
      set.flatMap((cookie) => change(cookie, choices.profile.cookies) ?? []),
    )
  }
}

/** Sets a header; undefined deletes it. */
export function header(name: string, value: ((response: DeviationResponse) => string) | undefined): Reaction {
  return (response) => {
    if (value) response.reply.header(name, value(response))
    else response.reply.removeHeader(name)
    return undefined
  }
}

export function rewrite(change: (query: URLSearchParams, choices: Choices) => void) {
  return ({ request, choices }: DeviationRequest): void => {
    const { raw } = request
    const url = new URL(request.url, 'http://localhost')
    change(url.searchParams, choices)
    Object.assign(raw, { originalUrl: request.originalUrl, url: `${url.pathname}${url.search}` })
    request.query = Object.fromEntries(url.searchParams)
  }
}

/** Sets the value at a dotted path of a body if its parent exists; undefined deletes it. */
export function setAt(body: object, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let node: unknown = body
  for (const name of names) node = (node as Record<string, unknown> | undefined)?.[name] // as: a body of nested objects
  if (typeof node === 'object' && node !== null) Object.assign(node, { [last]: value })
}

/** Path of the pool in an event. */
export function poolPath({ type }: { type?: string }, { profile }: Choices): string {
  return findEventPath(profile.events.pool, type) ?? ''
}
