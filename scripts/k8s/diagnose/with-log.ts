import { targetProblemIn } from '../../../contract/target-check.ts'
import { told } from './pod-facts.ts'
import type { Failure } from './verdict.ts'

/**
 * The failure of a runner, with what its log adds: that the target does not serve, or the last that k6 said. The log is a runner's, and what
 * it quotes a target's: it is told as a line fit for a terminal.
 */
export function withLog(failure: Failure, log: string): Failure {
  const { sentence, whose } = failure
  const problem = targetProblemIn(log)
  if (problem !== undefined) {
    const [runners = ''] = sentence.split(': ', 1)
    return {
      ...failure,
      sentence: `${runners}: the target does not serve the load: ${told(problem)}`,
      hint: 'The runners look from within the cluster: is baseUrl right there, and may their pods go to it (DNS, network policies, proxies)?',
      whose: 'target',
    }
  }
  const words = whose === 'runner' ? lastWords(log) : ''
  return words === '' ? failure : { ...failure, sentence: `${sentence}; it said: ${words}` }
}

/** The last line that is neither empty nor indented, as stacks and summaries are, without the frame of k6's own log. */
function lastWords(log: string): string {
  const line = log.split('\n').findLast((one) => /^\S/.test(one)) ?? ''
  const framed = /^time="[^"]*" level=\w+ msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  return told(framed?.replaceAll('\\"', '"') ?? line)
}
