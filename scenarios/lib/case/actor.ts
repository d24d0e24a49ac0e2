/** Helpers for case scenarios: actors, steps and outcomes. */
import type { Target } from '../../../contract/scenario-config.ts'
import { config, world } from '../config.ts'
import { beginRace, EXCHANGE, isOrdered, recordEntry } from '../timeline.ts'
import { quiet, recordNews } from '../world/news.ts'

/** A client of the case. Everything sent with this target appears in its lane of the timeline. */
export function actor(name: string): Target {
  const target = world('main')
  const { profile } = target
  // Lets the exchange, its faults and its observer distinguish clients that share an address.
  const headers = { 'User-Agent': `breakwater-repro ${name}`, ...profile.headers }
  return { ...target, profile: { ...profile, headers }, actor: name }
}

/** A tab of that browser: a client of its own in the timeline, but the same program for the exchange and its observer. */
export function tab(browser: Target, name: string): Target {
  return { ...browser, actor: name }
}

/** Records the next step of the story after all events of the previous step have arrived. */
export async function step(text: string): Promise<void> {
  const target = world('main')
  await quiet(target)
  if (!isOrdered) await recordNews(target)
  recordEntry({ actor: EXCHANGE }, 'step', text)
}

export function outcome({ actor: name }: Target, text: string): void {
  recordEntry({ actor: name ?? '' }, 'outcome', text)
}

function parameters(): Readonly<Record<string, number | string>> {
  return config.repro?.parameters ?? {}
}

/** Throws if the case has no number with that name. */
export function readNumber(name: string): number {
  const value = parameters()[name]
  if (typeof value !== 'number') throw new Error(`the case has no numeric parameter ${name}`)
  return value
}

export type Ending = { won: boolean; text: string }

/**
 * Runs all contestants concurrently. The recorded timeline renames them to `winner` and `loser-1`, so each
 * contestant must log its whole part inside `run`.
 */
export async function race(
  names: readonly string[],
  run: (contestant: Target, place: number) => Promise<Ending>,
): Promise<void> {
  await quiet(world('main'))
  const contestants = names.map(actor)
  const { end } = beginRace(names)
  try {
    await Promise.all(
      contestants.map(async (contestant, place) => {
        const { won, text } = await run(contestant, place)
        recordEntry(contestant, 'outcome', text, { place: won ? 'winner' : 'loser' })
      }),
    )
  } finally {
    end()
  }
}
