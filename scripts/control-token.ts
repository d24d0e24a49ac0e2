import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Profile } from '../contract/profile.ts'
import { fetchJson } from './fetch-json.ts'

export const CONTROL_TOKEN_ENV = 'BREAKWATER_CONTROL_TOKEN'

const ANSWER_TIMEOUT_MS = 5000

/**
 * The token of the control API that a profile names, from the environment; null where there is none, and time then passes
 * by waiting. Throws a BreakwaterError: usage where the API refuses it, environment where it does not answer.
 */
export async function findControlToken(
  { control }: Pick<Profile, 'control'>,
  { env, file }: { env: NodeJS.ProcessEnv; file: string },
): Promise<string | null> {
  const token = env[CONTROL_TOKEN_ENV]?.trim()
  if (control === null || !token) return null
  const address = `${control}/status`
  const response = await fetchJson(address, {
    headers: { Authorization: `Bearer ${token}` },
    timeoutMs: ANSWER_TIMEOUT_MS,
  }).catch((cause: unknown) => {
    throw new BreakwaterError(`${file}: control: GET ${address} is not answered`, {
      hint: 'Is the stub running, and is the address right? With "control": null time passes by waiting.',
      exitCode: EXIT.environment,
      cause,
    })
  })
  if (response.status === 200) return token
  throw new BreakwaterError(`${file}: control: GET ${address} answers ${response.status}`, {
    hint: `${CONTROL_TOKEN_ENV} holds the token that \`breakwater stub\` printed; a new stub has a new one.`,
  })
}

/**
 * The token that the environment gives to a stub, where somebody beside it has to know it before; undefined: it makes one of its own.
 * Throws a BreakwaterError (usage) where it is none.
 */
export function givenControlToken(env: NodeJS.ProcessEnv): string | undefined {
  const token = env[CONTROL_TOKEN_ENV]?.trim()
  if (!token) return undefined
  if (/^[A-Za-z0-9._~-]{16,200}$/.test(token)) return token
  throw new BreakwaterError(`${CONTROL_TOKEN_ENV}: no token that a stub could take`, {
    hint: 'Let it have 16 letters, digits or hyphens at least, or unset it: the stub then makes one of its own.',
  })
}
