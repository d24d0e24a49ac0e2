import { createClient } from '../../client/client.ts'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import { createInProcessRunner, type InProcessClient } from '../../hunt/run-in-process.ts'
import { huntWorldSchema, type Schedule } from '../../hunt/schedule.ts'
import { type HuntFinding, runCase, searchSchedules } from '../../hunt/search.ts'
import { createTestClient, RIGHT_CLIENTS } from '../../hunt/test-clients.ts'
import { WRONG_CLIENTS, type WrongClient } from '../clients/wrong-clients.ts'

const SCHEDULES_MAX = 60
/** Required share of wrong clients that a hunt finds. */
const FOUND_MIN_SHARE = 27 / 30
/** Required median size of a minimum. */
const DECISIONS_MAX = 2
const REPLAYS = 10
const REPLAYS_MIN = 9
const SCHEDULES_PER_MINUTE_MIN = 120
/** The clients read the profile, so they work with every set of choices. In the last world, sessions expire. */
const WORLDS = [
  ...CHOICE_SET_NAMES.map((choices) => huntWorldSchema.parse({ choices })),
  huntWorldSchema.parse({ durationMs: 1_200_000 }),
]

type ReportResult = (name: string, problem: string | undefined) => void

/**
 * Validates hunts in process: they find the violation of each wrong client and shrink it to a few decisions that repeat it, and
 * find nothing in a right client. For `npm run nightly`.
 */
export async function proveHunt(
  report: ReportResult,
  { names = Object.keys(WRONG_CLIENTS), rightSchedules = 1000, seed = 1 } = {},
): Promise<void> {
  const startedMs = performance.now()
  let runs = 0
  const found: { finding: HuntFinding; replays: number }[] = []
  for (const name of names) {
    const wrong = WRONG_CLIENTS[name]
    if (!wrong) continue
    const run = createInProcessRunner(huntedClient(wrong))
    const { finding, ...search } = await findPlanted(run, wrong.breaks, seed)
    runs += search.runs
    if (!finding) {
      console.log(`  ${name}: not found in ${search.schedules} schedules`)
      continue
    }
    const planted = { ...finding.minimum, file: name }
    let replays = 0
    for (let time = 0; time < REPLAYS; time++) if ((await runCase(planted, run)).violation) replays++
    runs += REPLAYS
    found.push({ finding, replays })
    console.log(
      `  ${name}: ${finding.rule} in schedule ${finding.schedule}, ${countDecisions(finding.minimum.schedule?.faults ?? [])} decisions, ${replays} of ${REPLAYS} replays`,
    )
  }
  const perMinute = Math.round((runs * 60_000) / (performance.now() - startedMs))
  const sizes = found.map(({ finding }) => countDecisions(finding.minimum.schedule?.faults ?? []))
  const median = sizes.sort((one, other) => one - other)[Math.floor(sizes.length / 2)] ?? 0
  const fewest = Math.min(...found.map(({ replays }) => replays))
  report(
    `hunts find ${found.length} of ${names.length} wrong clients within ${SCHEDULES_MAX} schedules`,
    found.length < names.length * FOUND_MIN_SHARE ? 'expected nine in ten' : undefined,
  )
  report(
    `median size of a minimum: ${median} decisions`,
    median > DECISIONS_MAX ? `expected at most ${DECISIONS_MAX}` : undefined,
  )
  report(
    `the least repeatable minimum repeats ${fewest} of ${REPLAYS} times`,
    fewest < REPLAYS_MIN ? `expected at least ${REPLAYS_MIN}` : undefined,
  )
  report(
    `${perMinute} runs per minute`,
    perMinute < SCHEDULES_PER_MINUTE_MIN ? `expected at least ${SCHEDULES_PER_MINUTE_MIN}` : undefined,
  )
  await proveQuiet(report, { rightSchedules, seed })
}

async function proveQuiet(
  report: ReportResult,
  { rightSchedules, seed }: { rightSchedules: number; seed: number },
): Promise<void> {
  if (rightSchedules === 0) return
  for (const [name, client] of Object.entries(RIGHT_CLIENTS)) {
    const { schedules, findings, duties } = await searchSchedules({
      run: createInProcessRunner(client),
      worlds: WORLDS,
      seed,
      schedulesMax: rightSchedules,
      isExact: true,
    })
    const exercised = duties.filter((duty) => duty.exercised > 0).length
    report(
      `nothing is found in ${name}, in ${schedules} schedules that exercised ${exercised} of ${duties.length} rules`,
      findings.map(({ rule, observed }) => `${rule}: ${observed}`).join('; ') || undefined,
    )
  }
}

/** Searches until a violation of one of the rules is found and shrunk. */
async function findPlanted(
  run: ReturnType<typeof createInProcessRunner>,
  rules: readonly string[],
  seed: number,
): Promise<{ finding: HuntFinding | undefined; schedules: number; runs: number }> {
  let isSeen = false
  let isOver = false
  const { findings, schedules, runs } = await searchSchedules({
    run,
    worlds: WORLDS,
    seed,
    schedulesMax: SCHEDULES_MAX,
    isExact: true,
    isOver: () => isOver,
    onProgress({ shrinking }) {
      if (shrinking !== null && rules.includes(shrinking)) isSeen = true
      else if (isSeen && shrinking === null) isOver = true
    },
  })
  return { finding: findings.find(({ rule }) => rules.includes(rule)), schedules, runs }
}

export function huntedClient({ piece, scene }: Pick<WrongClient, 'piece' | 'scene'>): InProcessClient {
  // With two rooms each, more than a connection may have.
  const followed = scene === 'crowd' ? { pools: 16 } : {}
  if (typeof piece !== 'function') return createTestClient(piece, followed)
  return createTestClient(
    ({ profile, apiToken, tools, fetch, WebSocket }) =>
      piece({
        apiToken,
        stranger: createClient({ profile, as: { apiToken }, tools, fetch, WebSocket }),
        strangerAddress: `0x${'ab'.repeat(20)}`,
      }),
    followed,
  )
}

/** A fault without listed matches counts as one decision. */
function countDecisions(schedule: Schedule): number {
  return schedule.reduce((sum, { when }) => sum + (when.on?.length ?? 1), 0)
}
