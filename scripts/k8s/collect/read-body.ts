import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from './byte-budget.ts'

/**
 * The body of a request in pieces, as it came; null where it is larger than that, and then it is not read to its end. Waits for a part of the budget,
 * which is given back when `use` is done. Throws where the connection is cut.
 */
export async function withBody<T>(
  request: IncomingMessage,
  { maxBytes, budget }: { maxBytes: number; budget: ByteBudget },
  use: (pieces: readonly Buffer[] | null) => Promise<T>,
): Promise<T> {
  const told = request.headers['content-length']
  const expected = told === undefined ? maxBytes : Number(told)
  if (expected > maxBytes) return use(null)
  const giveBack = await budget.take(expected)
  try {
    return await use(await read(request, maxBytes))
  } finally {
    giveBack()
  }
}

async function read(request: IncomingMessage, maxBytes: number): Promise<Buffer[] | null> {
  const pieces: Buffer[] = []
  let size = 0
  // Left open when it is left early: the answer goes the same way.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > maxBytes) return null
    pieces.push(chunk)
  }
  return pieces
}
