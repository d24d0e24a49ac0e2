import type { Views } from '../../indexer/views/views.ts'

/** What is made of the last indexed block, made once for each; blocks are told apart by their hash. */
export function oncePerBlock<Value>(views: Pick<Views, 'head'>, make: () => Value): () => Value {
  let known: { hash: string; value: Value } | undefined
  return () => {
    const { hash } = views.head()
    if (known?.hash !== hash) known = { hash, value: make() }
    return known.value
  }
}
