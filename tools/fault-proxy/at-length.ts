import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import { choicesSchema } from '../../contract/profile.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { sideBySide } from '../side-by-side.ts'
import { HOSTILE_FEEDS } from './hostile-feeds.ts'
import { runAgainstHostile } from './hostile-run.ts'
import { EMPTINESSES, HOSTILITIES, type Hostility, SILENCE } from './hostile-server.ts'
import { nullableChoices } from './nullable-choices.ts'
import { OUTAGES, PERSISTENT_ERRORS } from './persistent-errors.ts'
import {
  POOR_CREDENTIALS,
  runAsTold,
  runInOutage,
  runInTrouble,
  runOnHostileFeed,
  runOnPersistentError,
  runOnStrangeAnswers,
  untold,
} from './spoiled-run.ts'

const SEEDS = [1, 2, 3, 4, 5]
const SHARE = 0.15
const JOBS = 4

type Case = { name: string; run: () => Promise<string[]> }

/**
 * Every hostile server, transient errors and strange answers by several seeds, persistent errors, outages, and a profile
 * without each of the choices it may leave untold: tells of each what is wrong with it, if anything. For `npm run nightly`,
 * which may choose cases by what their name contains.
 */
export async function spoilAtLength(
  tell: (name: string, problem: string | undefined) => void,
  chosen = '',
): Promise<void> {
  const cases = allCases().filter((one) => one.name.includes(chosen))
  // They wait more than they work.
  await sideBySide(cases, JOBS, async ({ name, run }) => {
    const wrong = await run().catch((error: unknown) => [
      error instanceof Error ? error.message : String(error),
    ])
    tell(name, wrong.length === 0 ? undefined : wrong.join('\n'))
  })
}

function allCases(): Case[] {
  const sets = Object.keys(CHOICE_SETS) as ChoiceSetName[] // its keys are the names
  const hostile = (name: string, hostility: Hostility, mayFail: boolean): Case => ({
    name: `a server of ${name}`,
    run: () => runAgainstHostile(hostility, { mayFail }),
  })
  const everyChoice = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })
  return [
    ...Object.entries(HOSTILITIES).map(([name, hostility]) => hostile(name, hostility, false)),
    ...Object.entries(EMPTINESSES).map(([name, hostility]) => hostile(name, hostility, true)),
    hostile('silence', SILENCE, false),
    ...Object.entries(HOSTILE_FEEDS).map(([name, spoilFeed]) => ({
      name: `a gateway that ${name}`,
      run: () => runOnHostileFeed(spoilFeed),
    })),
    ...sets.flatMap((choices) =>
      SEEDS.flatMap((seed) => [
        {
          name: `passing trouble, choices ${choices}, seed ${seed}`,
          run: () => runInTrouble({ choices, seed, share: SHARE }),
        },
        {
          name: `strange answers, choices ${choices}, seed ${seed}`,
          run: () => runOnStrangeAnswers({ choices, seed, share: SHARE }),
        },
      ]),
    ),
    ...sets.flatMap((choices) => [
      ...Object.entries(PERSISTENT_ERRORS)
        .filter(([, error]) => error.choices?.includes(choices) ?? true)
        .map(([name, error]) => ({
          name: `persistent error: ${name}, choices ${choices}`,
          run: () => runOnPersistentError(error, { choices }),
        })),
      ...Object.entries(OUTAGES).map(([name, outage]) => ({
        name: `outage: ${name}, choices ${choices}`,
        run: () => runInOutage(outage, { choices }),
      })),
    ]),
    ...sets.flatMap((choices) =>
      Object.entries(POOR_CREDENTIALS).map(([name, change]) => ({
        name: `${name}, choices ${choices}`,
        run: () => runAsTold({ choices, change }),
      })),
    ),
    ...sets.flatMap((choices) =>
      nullableChoices(everyChoice).map((path) => ({
        name: `a profile without ${path}, choices ${choices}`,
        run: () => runAsTold({ choices, change: untold([path]) }),
      })),
    ),
  ]
}
