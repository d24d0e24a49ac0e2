import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import type { Mix, MixClient } from '../../contract/mix.ts'
import type { Rule } from '../../contract/rule.ts'
import { RULES, ruleById } from '../../contract/rules.ts'
import { type ChoiceSetName, PROBE_WALLETS, type Target } from '../../contract/scenario-config.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { loadMix, loadSlo, loadWaivers } from '../given-files.ts'
import type { Io } from '../io.ts'
import { buildPlan, mutantOrTarget, type Plan } from '../runs/plan.ts'
import { whyNoOwnTokens } from '../target/own-tokens.ts'
import { mustHaveTarget, PERMISSION_HINT, permissionFor, type Refuses } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'

export type SmokeOptions = {
  io: Io
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
  target?: string
  rules: string
  slo?: string
  mix?: string
  load: boolean
  includeSlow?: true
  confirm?: readonly string[]
  maxRequests?: number
  maxDuration?: number
  waivers?: string
  strict?: true
  minJudged?: number
  output?: string
  json?: true
}

export type SmokePlan = Plan & {
  mixNotes: readonly string[]
  requestsMax: number | null
  refuses: Refuses
  mix: Mix | null
}

/** Throws a BreakwaterError (usage) that names the option or the file, and what was expected. */
export async function planSmoke(options: SmokeOptions): Promise<SmokePlan> {
  const { io } = options
  mutantOrTarget(options)
  if (options.slo !== undefined && !options.load) {
    throw new BreakwaterError('--slo needs the load that --no-load disables', {
      hint: 'Omit one of them.',
    })
  }
  if (options.mix !== undefined && !options.load) {
    throw new BreakwaterError('--mix needs the load that --no-load disables', {
      hint: 'Omit one of them.',
    })
  }
  loadWorldFixture(options.world)
  const rules = matchRules(options.rules, RULES)
  const slow = options.includeSlow === true
  // Bad files are reported before the target gets a request.
  const waivers = options.waivers === undefined ? [] : await loadWaivers(options.waivers, io.cwd)
  const slo = options.load ? await loadSlo(options.slo ?? 'smoke', io.cwd) : null
  const requestedMix = options.load ? await loadMix(options.mix ?? 'smoke', io.cwd) : null
  const { target, refuses } = await planTarget(options, needFeed(rules))
  const { mix, mixNotes } = fitMixTo(requestedMix, target, refuses)
  return {
    job: 'smoke',
    rules,
    slo: refuses.load === null ? slo : null,
    sloSkipped: options.load ? refuses.load : null,
    slow,
    durationSecondsMax: planDuration(options.maxDuration, { slow, mix }),
    requestsMax: target === null ? (options.maxRequests ?? null) : (options.maxRequests ?? REQUESTS_MAX),
    refuses,
    mix,
    mixNotes,
    waivers,
    minJudged: options.minJudged ?? null,
    ...buildPlan(options),
    target,
  }
}

function fitMixTo(
  requested: Mix | null,
  target: Target | null,
  refuses: Refuses,
): Pick<SmokePlan, 'mix' | 'mixNotes'> {
  if (requested === null || refuses.load !== null) return { mix: null, mixNotes: [] }
  if (target === null) return { mix: requested, mixNotes: [] }
  const fitted = fitMix(requested, target, {
    writesRefused: refuses.writes,
    withProbes: true,
    makesTokens: true,
  })
  const mixNotes = fitted.leftOut.map(
    ({ client, why }) => `mix ${requested.name}: ${client} left out: ${why}`,
  )
  return { mix: fitted.mix, mixNotes }
}

/** Twice the duration of a run in real time; with `--include-slow`, three waits of 15 minutes in turn. */
const SECONDS_MAX = 300
const SLOW_SECONDS_MAX = 3000
const LEAVE_SECONDS = 60

function planDuration(
  requested: number | undefined,
  { slow, mix }: { slow: boolean; mix: Mix | null },
): number {
  const mixSeconds = mix?.durationSeconds ?? 0
  if (requested === undefined)
    return Math.max(slow ? SLOW_SECONDS_MAX : SECONDS_MAX, mixSeconds + LEAVE_SECONDS)
  if (requested >= mixSeconds) return requested
  throw new BreakwaterError(`--max-duration ${requested}s: the mix ${mix?.name} takes ${mixSeconds} s`, {
    hint: 'Raise --max-duration, use a shorter mix with --mix, or disable the load with --no-load.',
  })
}

/** Many times what the probes send: guards against a target with endless lists. */
const REQUESTS_MAX = 10_000

async function planTarget(
  { target: file, confirm, slo, mix, io }: SmokeOptions,
  needsFeed: boolean,
): Promise<Pick<SmokePlan, 'target' | 'refuses'>> {
  mustHaveTarget({ confirm, target: file })
  let refuses: Refuses = { writes: null, load: null }
  if (file === undefined) return { target: null, refuses }
  const target = await loadTarget(file, {
    io,
    needsFeed,
    check(profile) {
      refuses = permissionFor(profile, confirm)
      if (refuses.load === null) return
      for (const [option, file] of Object.entries({ '--slo': slo, '--mix': mix })) {
        if (file !== undefined)
          throw new BreakwaterError(`${option}: no load is allowed: ${refuses.load}`, {
            hint: PERMISSION_HINT,
          })
      }
    },
  })
  // Moving a world's clock changes the target.
  const controlToken = refuses.writes === null ? target.controlToken : null
  return { target: { ...target, controlToken }, refuses }
}

type FittedMix = {
  mix: Mix | null
  leftOut: { client: string; why: string }[]
}

type FitOptions = {
  writesRefused: string | null
  /** Probes run at the same time and need their own wallets. */
  withProbes: boolean
  makesTokens: boolean
}

/** Removes clients for which the target has no credentials: a load of rejected sign-ins shows nothing. */
export function fitMix(mix: Mix, target: Target, options: FitOptions): FittedMix {
  const cases = mix.clients.map((client) => ({ client, why: whyNot(client, target, options) }))
  const clients = cases.filter(({ why }) => why === undefined).map(({ client }) => client)
  return {
    mix: clients.length === 0 ? null : { ...mix, clients },
    leftOut: cases.flatMap(({ client, why }) => (why === undefined ? [] : [{ client: client.name, why }])),
  }
}

function whyNot(
  { credential }: MixClient,
  { profile, wallets, apiTokens }: Target,
  { writesRefused, withProbes, makesTokens }: FitOptions,
): string | undefined {
  if (credential === 'api-token' && apiTokens.length === 0) {
    const why = makesTokens ? whyNoOwnTokens({ profile, wallets }, writesRefused) : 'this run makes none'
    const { env } = profile.credentials.apiTokens
    return why && `no API token; the environment variable ${env} is not set, and none can be created: ${why}`
  }
  if (credential !== 'session') return undefined
  const signable = wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  if (signable.length === 0) return 'the profile has no wallet with access that is not an administrator’s'
  if (profile.credentials.signer === null && signable.some((wallet) => wallet.privateKeyJwk === undefined)) {
    return 'a wallet has no private key, and the profile has no signer'
  }
  if (withProbes && signable.length < PROBE_WALLETS)
    return `the probes need the wallets: the profile has fewer than ${PROBE_WALLETS}`
  return writesRefused ?? undefined
}

/**
 * Rule ids that match a list of globs, separated by commas; `*` matches any text. Throws a BreakwaterError (usage) if a
 * glob matches none.
 */
export function matchRules(globs: string, rules: readonly Pick<Rule, 'id'>[], command = 'smoke'): string[] {
  const patterns = globs.split(',').map((glob) => glob.trim())
  for (const glob of patterns) {
    if (!rules.some(({ id }) => matchesGlob(glob, id))) {
      throw unknownName(`--rules: no rule matches ${JSON.stringify(glob)}`, {
        name: glob,
        names: rules.map(({ id }) => id),
        listed: `\`breakwater ${command} --list-rules\` lists all rules.`,
      })
    }
  }
  return rules.filter(({ id }) => patterns.some((glob) => matchesGlob(glob, id))).map(({ id }) => id)
}

/** True if a run of these rules opens sockets: then the target's WebSocket is checked first. */
export function needFeed(rules: readonly string[]): boolean {
  return rules.some((id) => ruleById(id)?.group === 'ws')
}

export function listRules({ json, io }: { json?: boolean; io: Io }): void {
  if (json) io.document(JSON.stringify(RULES, null, 2))
  else for (const { id, statement } of RULES) io.stdout(`${id}  ${statement}`)
}
