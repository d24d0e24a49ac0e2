import { type TrialFacts, trialFactsSchema } from '../../contract/capacity.ts'
import { type Line, readLines } from '../read-lines.ts'

export type TrialsRead = {
  trials: TrialFacts[]
  /** False where there is no such file: the run searched for no capacity, or was killed before its first trial ended. */
  found: boolean
  /** True where every line was read. */
  complete: boolean
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

/** Reads trials.ndjson: up to its end, or up to the first line that is no trial. */
export async function readTrials(file: string): Promise<TrialsRead> {
  const trials: TrialFacts[] = []
  let damage: string | undefined
  const found = await readLines(file, (line) => {
    const facts = parseTrial(line.text)
    if (facts === undefined) damage = describeDamage(line)
    else if (facts.trial <= (trials.at(-1)?.trial ?? 0)) damage = describeRepeat(line, facts)
    else trials.push(facts)
    return damage === undefined ? undefined : 'stop'
  })
  return {
    trials,
    found,
    complete: found && damage === undefined,
    notes: damage === undefined ? [] : [damage],
  }
}

function parseTrial(text: string): TrialFacts | undefined {
  try {
    return trialFactsSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function describeDamage({ number, terminated }: Line): string {
  return terminated
    ? `trials.ndjson is damaged at line ${number}: that trial and all after it were not read.`
    : `trials.ndjson breaks off in the middle of line ${number}: that trial was not read.`
}

/** Their samples could not be told apart. */
function describeRepeat({ number }: Line, { trial }: TrialFacts): string {
  return `trials.ndjson has trial ${trial} out of order at line ${number}: that trial and all after it were not read.`
}
