/** What a collector answers to, a row a request. docs/formats.md tells the same to those who write their own. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { ByteBudget } from './byte-budget.ts'
import { isFileName } from './file-name.ts'
import type { FileStore } from './open-file-store.ts'
import { withBody } from './read-body.ts'

/** Of one append. */
export const APPEND_MAX_BYTES = 8 << 20

export type Answer = { status: number; json: unknown } | { status: 200; bytes: Readable; size: number }

export type Asked = {
  request: IncomingMessage
  /** Of the file, where the path has one. */
  name: string
  query: URLSearchParams
  store: FileStore
  budget: ByteBudget
}

type Route = {
  method: 'GET' | 'POST'
  path: RegExp
  /** Whether it needs no token. */
  open?: true
  answer: (asked: Asked) => Answer | Promise<Answer>
}

export const COLLECTOR_ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/health$/, open: true, answer: () => ({ status: 200, json: { status: 'ok' } }) },
  {
    method: 'GET',
    path: /^\/files$/,
    answer: async ({ store }) => ({ status: 200, json: await store.list() }),
  },
  { method: 'GET', path: /^\/files\/([^/]*)$/, answer: sendFile },
  { method: 'POST', path: /^\/files\/([^/]*)$/, answer: append },
]

async function sendFile({ name, query, store }: Asked): Promise<Answer> {
  const from = place(query.get('from') ?? '0')
  if (!isFileName(name)) return BAD_NAME
  if (from === null) return badPlace('from')
  const found = await store.read(name, from)
  if (found === null) return refusal(404, 'there is no such file')
  const { size, bytes } = found
  if (from <= size) return { status: 200, bytes, size }
  // Who has more than the file has is told so: it is not the file that it was.
  bytes.destroy()
  return { status: 416, json: { error: 'the file ends before that', size } }
}

async function append({ request, name, query, store, budget }: Asked): Promise<Answer> {
  const offset = place(query.get('offset') ?? '')
  if (!isFileName(name)) return BAD_NAME
  if (offset === null) return badPlace('offset')
  return withBody(request, { maxBytes: APPEND_MAX_BYTES, budget }, async (pieces) => {
    if (pieces === null) return TOO_LARGE
    const { done, size } = await store.append(name, { offset, pieces })
    return { status: done ? 200 : 409, json: { size } }
  })
}

/** A number of bytes from the start of a file; null where it is none. */
function place(text: string): number | null {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

/** An answer of that status, with what is wrong. */
export function refusal(status: number, error: string): Answer {
  return { status, json: { error } }
}

function badPlace(parameter: string): Answer {
  return refusal(400, `${parameter}: expected a number of bytes`)
}

const BAD_NAME = refusal(
  400,
  'the name of the file: expected 1 to 200 letters, digits, dots, hyphens and underscores, no dot first',
)

const TOO_LARGE = refusal(413, `the body is larger than ${APPEND_MAX_BYTES} bytes`)
