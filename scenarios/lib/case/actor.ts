/** What the scenario of a case is told with: who acts, what happens now, how it ended. */
import type { Target } from '../../../contract/scenario-config.ts'
import { config, world } from '../config.ts'
import { beginRace, EXCHANGE, isOrdered, tell } from '../timeline.ts'
import { quiet, tellNews } from '../world/news.ts'

/** A client of the case: whatever is sent with this target stands in its lane of the timeline. */
export function actor(name: string): Target {
  const target = world('main')
  const { profile } = target
  // By this the exchange, its faults and its observer can tell it from others at the same address.
  const headers = { 'User-Agent': `breakwater-repro ${name}`, ...profile.headers }
  return { ...target, profile: { ...profile, headers }, actor: name }
}

/** The next step of the story, once all of the last one has come. */
export async function step(text: string): Promise<void> {
  const target = world('main')
  await quiet(target)
  if (!isOrdered) await tellNews(target)
  tell({ actor: EXCHANGE }, 'step', text)
}

/** How it ended for one of them. */
export function outcome({ actor: name }: Target, text: string): void {
  tell({ actor: name ?? '' }, 'outcome', text)
}

/** What the case says of itself, such as how many tabs. */
function parameters(): Readonly<Record<string, number | string>> {
  return config.repro?.parameters ?? {}
}

/** The number by that name. Throws where the case has none. */
export function numberOf(name: string): number {
  const value = parameters()[name]
  if (typeof value !== 'number') throw new Error(`the case has no number ${name} among its parameters`)
  return value
}

export type Ending = { won: boolean; text: string }

/**
 * Lets all of them act at once, each to its own end. Who wins is nobody's to say: the timeline that is kept calls them
 * `winner` and `loser-1` from here on, so each tells all of its own part inside.
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
        tell(contestant, 'outcome', text, { place: won ? 'winner' : 'loser' })
      }),
    )
  } finally {
    end()
  }
}
