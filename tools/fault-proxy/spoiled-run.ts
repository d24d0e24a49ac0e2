import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { createRandom } from '../../simulator/random.ts'
import { without } from './nullable-choices.ts'
import type { PersistentError, Spoiling } from './persistent-errors.ts'
import { brokenProbes, type Probed, probeBehind, wronglySaid } from './probe-behind.ts'
import type { Exchange, Upgrade } from './spoiling-proxy.ts'
import { strangeAnswers, strangeFrames } from './strange-answers.ts'
import { passingFeedTrouble, passingTrouble } from './transient-errors.ts'

const DEADLINE_MS = 280_000

/** What a run is allowed to say is what these return of it: nothing, or what is wrong in lines. */
type Run = { choices: ChoiceSetName; seed: number; share: number }

/** Trouble that goes by: no rule may be held broken, however many stay open. */
export async function runInTrouble({ choices, seed, share }: Run): Promise<string[]> {
  let troubles = 0
  const onTrouble = () => {
    troubles++
  }
  const probed = await probeBehind({
    choices,
    seed: 1,
    deadlineMs: DEADLINE_MS,
    spoiling(world) {
      const random = createRandom(seed).stream(world)
      return {
        spoil: passingTrouble({ random, share, onTrouble }),
        spoilFeed: passingFeedTrouble({ random, share, onTrouble }),
      }
    },
  })
  return [...wronglySaid(probed), ...(troubles > 0 ? [] : ['no trouble came']), ...silent(probed)]
}

/** An error that does not go away: just the rules that it breaks are reported, and each of them. */
export async function runOnPersistentError(
  { rules, breaks, choices: _, ...spoiling }: PersistentError,
  { choices }: Pick<Run, 'choices'>,
): Promise<string[]> {
  const probed = await probeBehind({
    choices,
    seed: 1,
    rules,
    deadlineMs: DEADLINE_MS,
    spoiling: () => spoiling,
  })
  const failed = probed.rules.filter(({ verdict }) => verdict === 'fail')
  const missed = breaks.filter((rule) => !failed.some(({ id }) => id === rule))
  const wrongly = failed.filter(({ id }) => !breaks.includes(id))
  return [
    ...missed.map((id) => `not reported: ${id}`),
    ...wrongly.map(
      ({ id, observed, evidence }) => `wrongly reported: ${id}: ${observed} ${evidence.join(' | ')}`,
    ),
    ...brokenProbes(probed.rules),
  ]
}

/** Everything fails from a moment on: no rule may be held broken. */
export async function runInOutage(
  outage: () => Spoiling,
  { choices }: Pick<Run, 'choices'>,
): Promise<string[]> {
  const probed = await probeBehind({ choices, seed: 1, deadlineMs: DEADLINE_MS, spoiling: outage })
  return [...wronglySaid(probed), ...silent(probed)]
}

/** Answers and frames out of shape: rules may well be broken, probes may not. */
export async function runOnStrangeAnswers({ choices, seed, share }: Run): Promise<string[]> {
  const probed = await probeBehind({
    choices,
    seed: 1,
    deadlineMs: DEADLINE_MS,
    spoiling(world) {
      const random = createRandom(seed).stream(world)
      return { spoil: strangeAnswers({ random, share }), spoilFeed: strangeFrames({ random, share }) }
    },
  })
  const { run, rules } = probed
  const ended =
    run.reason === 'finished' && run.exitCode === 0 ? [] : [`k6 ended: ${run.meaning} (${run.reason})`]
  return [...ended, ...brokenProbes(rules), ...silent(probed)]
}

/** A gateway that is none, beside a REST host as it should be: no rule may be held broken. */
export async function runOnHostileFeed(
  spoilFeed: (upgrade: Upgrade) => void,
  { rules = 'ws.*' }: { rules?: string } = {},
): Promise<string[]> {
  const probed = await probeBehind({
    choices: 'plain',
    seed: 1,
    rules,
    deadlineMs: DEADLINE_MS,
    spoiling: () => ({ spoil: passOn, spoilFeed }),
  })
  return [...wronglySaid(probed), ...silent(probed)]
}

/** Another profile or other credentials for a stub as it should be: no rule may be held broken. */
export async function runAsTold(options: {
  choices: ChoiceSetName
  change: (target: Target) => Target
}): Promise<string[]> {
  const probed = await probeBehind({
    ...options,
    seed: 1,
    deadlineMs: DEADLINE_MS,
    spoiling: () => ({ spoil: passOn, spoilFeed: passOnFeed }),
  })
  return [...wronglySaid(probed), ...silent(probed)]
}

/** A profile that does not tell some of its choices. */
export const untold =
  (paths: readonly string[]) =>
  ({ profile, ...target }: Target): Target => ({
    ...target,
    profile: { ...profile, choices: without(profile.choices, paths) },
  })

/** Credentials of which little or nothing is good. */
export const POOR_CREDENTIALS = {
  'no credentials at all': (target) => ({ ...target, wallets: [], apiTokens: [] }),
  'an expired API token alone': (target) => ({ ...target, wallets: [], apiTokens: [EXPIRED] }),
  'API tokens alone': (target) => ({ ...target, wallets: [] }),
  'a wallet without access alone': ({ wallets, ...target }) => ({
    ...target,
    wallets: wallets.filter(({ hasAccess }) => !hasAccess).slice(0, 1),
    apiTokens: [],
  }),
  'one wallet alone': ({ wallets, ...target }) => ({
    ...target,
    wallets: wallets.slice(0, 1),
    apiTokens: [],
  }),
  'wallets whose keys are not told': ({ wallets, ...target }) => ({
    ...target,
    wallets: wallets.map(({ privateKeyJwk: _, ...wallet }) => wallet),
    apiTokens: [],
  }),
  'an expired API token beside good wallets': (target) => ({ ...target, apiTokens: [EXPIRED] }),
} satisfies Record<string, (target: Target) => Target>
const EXPIRED = 'ss_this-one-has-had-its-time-long-ago'

/** What is to be said of rules that no probe had a word for. */
function silent({ rules }: Probed): string[] {
  const ids = rules.filter(({ reason }) => reason?.startsWith('no finding')).map(({ id }) => id)
  return ids.length === 0 ? [] : [`no word on ${ids.length} rules: ${ids.slice(0, 5).join(', ')}`]
}

async function passOn({ ask, reply }: Exchange): Promise<void> {
  reply(await ask())
}

function passOnFeed({ join }: Upgrade): void {
  join()
}
