import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { fileFailure } from '../../../contract/file-failure.ts'
import { TOKEN } from './token.ts'

/** The token that stands in a file, without the line end after it. Throws a BreakwaterError (usage). */
export async function readTokenFile(shown: string, cwd: string): Promise<string> {
  const text = await readFile(resolve(cwd, shown), 'utf8').catch((cause) => {
    throw new BreakwaterError(`--token-file ${shown}: cannot be read: ${fileFailure(cause)}`, { hint, cause })
  })
  if (TOKEN.test(text.trim())) return text.trim()
  throw new BreakwaterError(`--token-file ${shown}: holds no token`, { hint })
}

const hint =
  'Expected a file with 16 to 200 letters, digits or any of ._~- in it, such as `openssl rand -hex 16` prints.'
