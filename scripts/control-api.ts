import type { z } from 'zod'
import { isLoopback, shownAddress } from '../contract/addresses.ts'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Profile } from '../contract/profile.ts'
import { errorBodySchema } from '../contract/schemas/wire.ts'
import { type Io, throwIfInterrupted } from './io.ts'
import { fetchJson } from './target/read-bounded.ts'
import { readProfile, trimSlashes } from './target/target-files.ts'

export type ControlApi = {
  /** Throws a BreakwaterError: environment if nothing responds, usage if the stub rejects the call. */
  call<Output extends z.ZodType>(options: {
    method: 'GET' | 'POST'
    path: string
    body?: object
    /** The user's name for the payload, used in errors. */
    subject?: string
    output: Output
  }): Promise<z.output<Output>>
}

export type ControlOptions = {
  control?: string
  target?: string
}

const DEFAULT_CONTROL = 'http://127.0.0.1:8082'
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Reads the token from the environment; sends nothing yet. Throws a BreakwaterError (usage) if something is missing.
 */
export async function openControlApi(options: ControlOptions, io: Io): Promise<ControlApi> {
  const address = await resolveAddress(options, io)
  const token = io.env[CONTROL_TOKEN_ENV]?.trim()
  if (!token) {
    throw new BreakwaterError(`${CONTROL_TOKEN_ENV} is not set`, {
      hint: 'Set it to the token that `breakwater stub` prints; every new stub has a new one.',
    })
  }
  // Other characters cannot be sent in a header, and the error would suggest a missing stub.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new BreakwaterError(`${CONTROL_TOKEN_ENV} contains invalid characters`, {
      hint: 'Copy the token that `breakwater stub` printed: letters, digits, - and _.',
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
        throw new BreakwaterError(`${method} ${url}: no response`, {
          hint: 'Check that the stub is running, and pass the control address that `breakwater stub` prints with --control or --target.',
          exitCode: EXIT.environment,
          cause,
        })
      })
      if (response.status === 401) {
        throw new BreakwaterError(`${method} ${url} rejected the token in ${CONTROL_TOKEN_ENV}`, {
          hint: 'Set it to the token that `breakwater stub` printed; every new stub has a new one.',
        })
      }
      const read = output.safeParse(response.body)
      if (response.ok && read.success) return read.data
      const refusal = errorBodySchema.safeParse(response.body)
      if (response.status < 500 && refusal.success)
        throw new BreakwaterError(
          `${subject ?? `${method} ${url}`}: ${refusal.data.error}`,
          response.status === 404
            ? { hint: 'Check that the address is the root of the control API of a stub.' }
            : {},
        )
      throw new BreakwaterError(`${method} ${url} returned ${response.status}, not a response of a stub`, {
        hint: 'Check that the address is the control API of a stub of this Breakwater version.',
        exitCode: EXIT.environment,
      })
    },
  }
}

async function resolveAddress(
  { control = DEFAULT_CONTROL, target }: ControlOptions,
  io: Io,
): Promise<string> {
  if (target !== undefined) {
    const { profile } = await readProfile(target, io)
    if (profile.control !== null) return profile.control
    throw new BreakwaterError(`${target}: control is null, so the target has no fault control`, {
      hint: 'Only the stub supports faults. `breakwater stub --profile FILE` writes its profile.',
    })
  }
  if (
    !URL.canParse(control) ||
    new URL(control).protocol !== 'http:' ||
    !isLoopback(control) ||
    control !== shownAddress(control)
  ) {
    throw new BreakwaterError(
      `--control ${shownAddress(control)}: expected the URL of a control API, without credentials or query`,
      {
        hint: `For example ${DEFAULT_CONTROL}. It listens on loopback only, without TLS.`,
      },
    )
  }
  return trimSlashes(control)
}

export const CONTROL_TOKEN_ENV = 'BREAKWATER_CONTROL_TOKEN'

const TOKEN_TIMEOUT_MS = 5000

/**
 * Reads the token for the profile's control API from the environment; null: no control API or no token, so tests wait
 * in real time. Throws a BreakwaterError: usage if the API rejects the token, environment if it does not respond.
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
    throw new BreakwaterError(`${file}: control: GET ${address}: no response`, {
      hint: 'Check that the stub is running and the address is right, or set "control": null to wait in real time.',
      exitCode: EXIT.environment,
      cause,
    })
  })
  if (response.status === 200) return token
  throw new BreakwaterError(`${file}: control: GET ${address} returned ${response.status}`, {
    hint:
      response.status === 401
        ? `Set ${CONTROL_TOKEN_ENV} to the token that \`breakwater stub\` printed; every new stub has a new one.`
        : 'Check that the address is the root of the control API of a stub, or set "control": null to wait in real time.',
  })
}

/**
 * Reads the token to give to a new stub, for callers that must know it in advance; undefined: the stub makes its own.
 * Throws a BreakwaterError (usage) if it is malformed.
 */
export function readNewStubToken(env: NodeJS.ProcessEnv): string | undefined {
  const token = env[CONTROL_TOKEN_ENV]?.trim()
  if (!token) return undefined
  if (/^[A-Za-z0-9._~-]{16,200}$/.test(token)) return token
  throw new BreakwaterError(`${CONTROL_TOKEN_ENV}: not a valid stub token`, {
    hint: 'Use at least 16 letters, digits or hyphens, or unset it: the stub then generates a token.',
  })
}
