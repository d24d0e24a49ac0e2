/** A request that was made, and the body of its answer. */
export type Example = {
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body?: unknown
  status: number
  answer: unknown
}

/** By operation, such as `GET /pools/{key}`. */
export type Examples = ReadonlyMap<string, Example>
