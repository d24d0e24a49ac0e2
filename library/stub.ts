/** `breakwater/stub`: a stub exchange inside a test suite (docs/guides/library.md). Only these exports are stable. */
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { parseJsonFile } from '../contract/json-file.ts'
import type { Profile, Wallet } from '../contract/profile.ts'
import { CHOICE_SET_NAMES, type ChoiceSetName } from '../contract/scenario-config.ts'
import { loadFaults } from '../scripts/given-files.ts'
import { NO_RATE_LIMIT } from '../simulator/exchange/access/rate-limit.ts'
import { type FaultPlan, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { startStub as start } from '../simulator/stub.ts'
import { parseArguments } from './parse-arguments.ts'

export type { ChoiceSetName, Profile, Wallet }
export { BreakwaterError }

export type StubOptions = {
  /** Seed of the world and of all randomness (default: 7). */
  seed?: number
  /** A world of docs/reference/worlds.md, or a JSON file (default: `tiny`). */
  world?: string
  /** How the stub fills in what the interface leaves open: docs/reference/choices.md (default: `default`). */
  choices?: ChoiceSetName
  faults?: FaultPlanInput
  /** `real` follows the clock of the machine, `manual` moves by `advance` and `mine` only (default: `real`). */
  clock?: 'real' | 'manual'
  /** `false` removes the limit of requests per second (default: that of `breakwater stub`). */
  rateLimit?: false
}

/** The name of a plan of docs/reference/faults.md, a JSON file, or the plan itself. */
export type FaultPlanInput =
  | string
  | { description?: string; seed?: number; faults: readonly { fault: string; [option: string]: unknown }[] }

export type Finding = {
  number: number
  /** Milliseconds since 1970 on the clock of the stub. */
  atMs: number
  /** Id of the rule: docs/reference/rules.md#rules-that-bind-clients. */
  rule: string
  client: string
  observed: string
  advice: string
  evidence: readonly JournalEntry[]
}

export type DutyCounts = { situations: number; handled: number; violations: number }

/** A request, a frame, a fault or a call of the control API; `kind` says which other fields there are: docs/reference/control-api.md. */
export type JournalEntry = { number: number; atMs: number; kind: string; [field: string]: unknown }

export type StubExchange = AsyncDisposable & {
  readonly baseUrl: string
  readonly wsUrl: string
  /** The addresses of the stub and its choices for what the interface leaves open. */
  readonly profile: Profile
  /** With their keys. */
  readonly wallets: readonly Wallet[]
  /** API tokens of two wallets with access. */
  readonly apiTokens: readonly string[]
  /** Moves the clock of the stub; mines blocks and runs timers that become due. */
  advance(ms: number): Promise<void>
  /** Mines blocks (default: 1) and moves the clock by the block interval for each. */
  mine(blocks?: number): Promise<void>
  /** Replaces the active faults. Throws a BreakwaterError that lists every problem of the plan. */
  applyFaults(plan: FaultPlanInput): Promise<void>
  clearFaults(): Promise<void>
  /** The decisions of the active faults so far, as a plan that repeats them: `applyFaults(schedule)`. */
  faultSchedule(): Promise<Exclude<FaultPlanInput, string>>
  /** All violations by clients so far, oldest first. */
  findings(): Promise<Finding[]>
  /**
   * For each rule: how often it applied to a client, how often a client was seen to handle that right, and how often one
   * violated it. Without a handled situation, a rule has not passed.
   */
  duties(): Promise<Record<string, DutyCounts>>
  /** Received and sent messages, oldest first; only the newest are kept. */
  journal(): Promise<JournalEntry[]>
  /** Restores the world, sessions, limits and faults of the start; sockets close with 1012. The journal and the findings stay. */
  reset(): Promise<void>
  /** Calls any resource of docs/reference/control-api.md: `control('POST /gateway/restart', {})`. */
  control(resource: string, body?: object): Promise<unknown>
  /** Ends every connection and frees the ports. `await using` calls it. */
  close(): Promise<void>
}

/**
 * Starts a stub exchange on free loopback ports. Stubs share no state, so each test can have its own. Throws a
 * BreakwaterError for invalid options.
 */
export async function startStub(options: StubOptions = {}): Promise<StubExchange> {
  const { seed, world, choices, clock, rateLimit } = parseArguments('startStub', optionsSchema, options, {
    what: 'set of options',
  })
  const stub = await start({
    world,
    seed,
    choices,
    mutant: null,
    pace: clock,
    ...(options.faults !== undefined && { faults: await readPlan(options.faults) }),
    ...(rateLimit === false && { rateLimit: NO_RATE_LIMIT }),
  })
  const { profile, wallets, apiTokens, controlToken, close } = stub
  const call = createCall({ address: profile.control ?? '', token: controlToken })
  // as, below: the control API validates its responses against these shapes
  return {
    baseUrl: profile.baseUrl,
    wsUrl: profile.wsUrl,
    profile,
    wallets,
    apiTokens,
    advance: async (ms) => void (await call('POST /clock/advance', { ms })),
    mine: async (blocks = 1) => void (await call('POST /mine', { blocks })),
    applyFaults: async (plan) => void (await call('POST /faults', await readPlan(plan))),
    clearFaults: async () => void (await call('POST /faults/clear', {})),
    faultSchedule: async () => (await call('GET /faults/schedule')) as FaultPlan,
    findings: () => readAll<Finding>(call, 'findings'),
    duties: async () =>
      ((await call('GET /findings?limit=1')) as { duties: Record<string, DutyCounts> }).duties,
    journal: () => readAll<JournalEntry>(call, 'journal', 'entries'),
    reset: async () => void (await call('POST /reset', {})),
    control: call,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const optionsSchema = z.strictObject({
  seed: z.int().min(0).default(7),
  world: z.string().min(1).default('tiny'),
  choices: z.enum(CHOICE_SET_NAMES).default('default'),
  clock: z.enum(['real', 'manual']).default('real'),
  rateLimit: z.literal(false).optional(),
  // Checked separately, because it may name a file.
  faults: z.unknown().optional(),
})

function readPlan(plan: FaultPlanInput): Promise<FaultPlan> | FaultPlan {
  if (typeof plan === 'string') return loadFaults(plan, process.cwd())
  const text = JSON.stringify({ description: 'A plan of a test suite', ...plan })
  return parseJsonFile({ file: 'faults', text, schema: faultPlanSchema, what: 'fault plan' })
}

type Call = StubExchange['control']

const callSchema = z
  .object({
    resource: z
      .string()
      .regex(/^(GET|POST) \/\S*$/, 'expected a method and a path, such as POST /gateway/restart'),
    body: z.looseObject({}).optional(),
  })
  .refine(({ resource, body }) => body === undefined || !resource.startsWith('GET '), {
    path: ['body'],
    error: 'a GET takes no body; its parameters are in the path, such as GET /findings?limit=1',
  })

/** Sends one request to the control API. Throws a BreakwaterError with the API's own words if it rejects it. */
function createCall({ address, token }: { address: string; token: string }): Call {
  return async (resource, body) => {
    parseArguments('control', callSchema, { resource, body })
    const [method = '', path = ''] = resource.split(' ')
    const response = await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new BreakwaterError(`${resource}: the stub does not respond`, {
        hint: 'Call it before close().',
        exitCode: EXIT.environment,
        cause,
      })
    })
    const read: unknown = await response.json()
    if (response.ok) return read
    throw new BreakwaterError(`${resource}: ${(read as { error?: string }).error ?? response.status}`, {
      hint: 'docs/reference/control-api.md lists the resources and what each takes.',
    })
  }
}

const PAGE_ROWS = 1000

async function readAll<Row extends { number: number }>(
  call: Call,
  path: string,
  field = path,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const after = rows.at(-1)?.number ?? 0
    const page = (await call(`GET /${path}?after=${after}&limit=${PAGE_ROWS}`)) as Record<string, Row[]>
    rows.push(...(page[field] ?? []))
    if ((page[field] ?? []).length < PAGE_ROWS) return rows
  }
}
