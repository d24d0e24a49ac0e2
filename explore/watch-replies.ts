/** Checks every response and every frame of a run by itself, whatever the command, against what the specification states of it. */
import { ruleById } from '../contract/rules.ts'
import type { Violation } from './model/state.ts'
import type { ExploreRequest, ExploreTarget, Reply } from './target.ts'
import { createErrorCheck, findRecordProblems, isSpecified } from './wire/bodies.ts'
import { createCredentialCheck, createSecretCheck } from './wire/credentials.ts'
import { nameEndpoint, type Problem } from './wire/endpoint.ts'
import { createFrameCheck } from './wire/frames.ts'

export type ReplyWatch = {
  /** The target, with each violation passed to `note`. All of a run share one memory of credentials. */
  watch(note: (violation: Violation) => void): ExploreTarget
}

/** A body that does not parse may have been cut in transit, so it is requested again. */
const PARSE_TRIES = 3

export function watchReplies(target: ExploreTarget): ReplyWatch {
  const { choices } = target.profile
  const credentials = createCredentialCheck(choices, target)
  const findErrorProblems = createErrorCheck()
  const findSecretProblems = createSecretCheck(choices)

  const requestParsed = async (request: ExploreRequest, endpoint: string): Promise<Reply> => {
    let reply = await target.request(request)
    const isGarbled = () => reply.status === 200 && reply.body === undefined && isSpecified(endpoint)
    for (let tried = 1; tried < PARSE_TRIES && isGarbled(); tried++) reply = await target.request(request)
    return reply
  }
  return {
    watch: (note) => ({
      ...target,
      async request(request) {
        const endpoint = nameEndpoint(request)
        credentials.sent(request)
        const reply = await requestParsed(request, endpoint)
        const exchanged = { request, endpoint, reply }
        const problems: Problem[] = [
          ...(reply.status === 200 && reply.body === undefined && isSpecified(endpoint)
            ? [{ rule: 'wire.body.json', problem: `no JSON in ${PARSE_TRIES} requests` }]
            : []),
          ...findRecordProblems(exchanged),
          ...findErrorProblems(exchanged),
          ...credentials.received(exchanged, target.nowMs()),
          ...findSecretProblems(exchanged),
        ]
        for (const problem of problems) note(describe(endpoint, problem))
        return reply
      },
      async openSocket(events) {
        const frames = createFrameCheck(choices)
        const socket = await target.openSocket({
          ...events,
          received(text) {
            for (const problem of frames.received(text)) note(describe('frame', problem))
            events.received(text)
          },
        })
        if (socket === null) return null
        return {
          ...socket,
          send(text) {
            frames.sent(text)
            socket.send(text)
          },
        }
      },
    }),
  }
}

const PROBLEM_LENGTH_MAX = 300

function describe(subject: string, { rule, problem }: Problem): Violation {
  return {
    rule,
    expected: ruleById(rule)?.expected ?? '',
    observed: `${subject}: ${problem.slice(0, PROBLEM_LENGTH_MAX)}`,
  }
}
