import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Node exposes it only with a flag. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void // as: the flag defines it
}
