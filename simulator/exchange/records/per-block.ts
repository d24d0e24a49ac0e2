import type { Views } from '../../indexer/views/views.ts'

/** Works a pool's record out once for each indexed block, however often it is asked for. */
export function perBlock<Pool extends { key: string }, Value>(
  { head }: Pick<Views, 'head'>,
  compute: (pool: Pool) => Value,
): (pool: Pool) => Value {
  let hash = ''
  const known = new Map<string, Value>()
  return (pool) => {
    if (head().hash !== hash) known.clear()
    hash = head().hash
    const value = known.get(pool.key) ?? compute(pool)
    known.set(pool.key, value)
    return value
  }
}
