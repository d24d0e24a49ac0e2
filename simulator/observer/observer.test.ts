import { expect, test } from 'vitest'
import type { Watch } from './observer-rule.ts'
import { createTestBed } from './test-bed.ts'

/** A bed with a rule that does this with each response. */
function bedOf(judge: (tools: Parameters<Parameters<typeof createTestBed>[0]['watch']>[0]) => Watch) {
  return createTestBed({ id: 'client.429.waits', advice: 'Do it right.', watch: judge })
}

const VIOLATION = { observed: 'seen', evidence: [] }

test('a situation that is decided at once is handled, unless the same event reports it', () => {
  const { send, counts } = bedOf(({ countCase, report }) => ({
    responded({ client, status }) {
      countCase()
      if (status !== 200) report(client, VIOLATION)
    },
  }))
  send()
  send({ status: 429 })
  send()
  expect(counts()).toEqual([3, 2, 1])
})

test('the order of count and report within an event does not matter', () => {
  const { send, counts } = bedOf(({ countCase, report }) => ({
    responded({ client }) {
      report(client, VIOLATION)
      countCase()
    },
  }))
  send()
  expect(counts()).toEqual([1, 0, 1])
})

test('a later report takes back nothing that was handled before', () => {
  const { send, pass, counts } = bedOf(({ countCase, after, report }) => ({
    responded({ client, status }) {
      if (status === 200) countCase()
      if (status === 429) report(client, VIOLATION)
      after(client, 1000, () => report(client, VIOLATION))
    },
  }))
  send()
  send({ status: 429 })
  expect(counts()).toEqual([1, 1, 1])
  pass(1000)
  expect(counts()).toEqual([1, 1, 3])
})

test('a situation that is decided later counts as handled only then', () => {
  const { send, pass, counts } = bedOf(({ begin, after, handled }) => ({
    responded({ client }) {
      begin()
      after(client, 1000, handled)
    },
  }))
  send()
  expect(counts()).toEqual([1, 0, 0])
  pass(1000)
  expect(counts()).toEqual([1, 1, 0])
})

test('the witness is the last handled situation: one that is reported does not count, and a later decision names its cause', () => {
  const { send, pass, witness } = bedOf(({ countCase, begin, after, handled, report }) => ({
    responded({ client, status }) {
      if (status === 503) {
        begin()
        after(client, 1000, handled)
        return
      }
      countCase()
      if (status !== 200) report(client, VIOLATION)
    },
  }))
  send({ status: 429 })
  expect(witness()).toBeUndefined()
  send()
  expect(witness()).toBe(2)
  send({ status: 429 })
  expect(witness()).toBe(2)
  send({ status: 503 })
  send()
  expect(witness()).toBe(5)
  pass(1000)
  expect(witness()).toBe(4)
})
