import type { Standing, Trouble } from './verdict.ts'

/** What came of a starter that ended badly, by its exit code; curl's own are in `man curl`. */
const EXITS: Readonly<Record<number, string>> = {
  6: 'did not find the runners',
  7: 'did not reach the runners on port 6565',
  28: 'did not reach the runners on port 6565',
  126: 'the image has no shell that runs there',
  127: 'the image has no curl',
}

/**
 * Why the starter, a pod of the operator, does not let the runners go; null: nothing is wrong with it. It has no second try, and the
 * runners stay paused for good.
 */
export function starterTrouble(starter: Standing): Trouble | null {
  if (starter.at === 'troubled') return ofStarter(starter.trouble, starter.trouble.sentence)
  if (starter.at !== 'failed') return null
  const { exitCode, trouble } = starter
  const known = EXITS[exitCode ?? -1]
  const code = `ended with exit code ${exitCode}`
  const isOfK6 = trouble.whose === 'runner' && trouble.sentence.startsWith('k6 ended')
  const sentence = known !== undefined ? `${code}: ${known}` : isOfK6 ? code : trouble.sentence
  return ofStarter(trouble, sentence)
}

function ofStarter({ hint, mayHeal }: Trouble, sentence: string): Trouble {
  const isImage = /image|could not be started/.test(sentence)
  return {
    sentence: `the starter: ${sentence}`,
    hint: isImage ? '--starter-image names one with `sh` and `curl` that the nodes can have.' : hint,
    whose: 'cluster',
    mayHeal,
  }
}
