import type { z } from 'zod'
import { isLoopback, shownAddress } from '../contract/addresses.ts'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Profile } from '../contract/profile.ts'
import { errorBodySchema } from '../contract/schemas/wire.ts'
import { type Io, throwIfInterrupted } from './io.ts'
import { fetchJson } from './target/bounded-answer.ts'
import { readProfile } from './target/target-files.ts'

/** The control API of a stub that runs already. */
export type ControlApi = {
  /** Throws a BreakwaterError: environment where nothing answers, usage where it refuses. */
  call<Output extends z.ZodType>(options: {
    method: 'GET' | 'POST'
    path: string
    body?: object
    /** What is sent, as the user named it: for what is said where it is refused. */
    subject?: string
    output: Output
  }): Promise<z.output<Output>>
}

export type ControlOptions = {
  /** Its address. */
  control?: string
  /** A profile that names it, in its place. */
  target?: string
}

/** Where `breakwater stub` has it, if it is told nothing else. */
const DEFAULT_CONTROL = 'http://127.0.0.1:8082'
const ANSWER_TIMEOUT_MS = 10_000

/** Sends nothing yet. The token comes from the environment. Throws a BreakwaterError (usage) where something is missing. */
export async function openControlApi(options: ControlOptions, io: Io): Promise<ControlApi> {
  const address = await addressOf(options, io)
  const token = io.env[CONTROL_TOKEN_ENV]?.trim()
  if (!token) {
    throw new BreakwaterError(`${CONTROL_TOKEN_ENV} is not set`, {
      hint: 'The control API asks for the token that `breakwater stub` prints; a new stub has a new one.',
    })
  }
  // Others can not be sent, and the stub would seem not to be there.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new BreakwaterError(`${CONTROL_TOKEN_ENV} holds characters that no token has`, {
      hint: 'It is the one that `breakwater stub` printed: letters, digits, - and _.',
    })
  }
  return {
    async call({ method, path, body, subject, output }) {
      const url = `${address}${path}`
      const response = await fetchJson(url, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body && { 'Content-Type': 'application/json' }),
        },
        timeoutMs: ANSWER_TIMEOUT_MS,
        interrupted: io.interrupted,
        ...(body && { body: JSON.stringify(body) }),
      }).catch((cause: unknown) => {
        throwIfInterrupted(io.interrupted)
        throw new BreakwaterError(`${method} ${url} is not answered`, {
          hint: 'Is the stub running? `breakwater stub` prints where its control API is; --control or --target names it here.',
          exitCode: EXIT.environment,
          cause,
        })
      })
      if (response.status === 401) {
        throw new BreakwaterError(`${method} ${url} refuses the token of ${CONTROL_TOKEN_ENV}`, {
          hint: 'It is the one that `breakwater stub` printed; a new stub has a new one.',
        })
      }
      const read = output.safeParse(response.body)
      if (response.ok && read.success) return read.data
      const refusal = errorBodySchema.safeParse(response.body)
      if (response.status < 500 && refusal.success)
        throw new BreakwaterError(
          `${subject ?? `${method} ${url}`}: ${refusal.data.error}`,
          response.status === 404
            ? { hint: 'Is it the control API of a stub, and nothing behind its address?' }
            : {},
        )
      throw new BreakwaterError(
        `${method} ${url} answers ${response.status}, and nothing that a stub would`,
        {
          hint: 'Is it the control API of a stub, and of this version of breakwater?',
          exitCode: EXIT.environment,
        },
      )
    },
  }
}

async function addressOf({ control = DEFAULT_CONTROL, target }: ControlOptions, io: Io): Promise<string> {
  if (target !== undefined) {
    const { profile } = await readProfile(target, io)
    if (profile.control !== null) return trimmed(profile.control)
    throw new BreakwaterError(`${target}: control: null, so there is no stub to tell`, {
      hint: 'Faults are of the stub alone; `breakwater stub --profile FILE` writes its profile.',
    })
  }
  if (
    !URL.canParse(control) ||
    new URL(control).protocol !== 'http:' ||
    !isLoopback(control) ||
    control !== shownAddress(control)
  ) {
    throw new BreakwaterError(`--control ${shownAddress(control)}: expected the address of a control API`, {
      hint: `Such as ${DEFAULT_CONTROL}; it listens on the loopback alone, without TLS.`,
    })
  }
  return trimmed(control)
}

function trimmed(address: string): string {
  return address.replace(/\/+$/, '')
}

export const CONTROL_TOKEN_ENV = 'BREAKWATER_CONTROL_TOKEN'

const TOKEN_TIMEOUT_MS = 5000

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
    timeoutMs: TOKEN_TIMEOUT_MS,
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
