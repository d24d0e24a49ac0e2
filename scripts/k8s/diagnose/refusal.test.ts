import { expect, test } from 'vitest'
import type { EventView } from './cluster-view.ts'
import { refusal } from './refusal.ts'

test('a quota heals where others use it, and never where it is too small by itself', () => {
  const said =
    'pods "run-2-m9hgg" is forbidden: exceeded quota: q, requested: limits.cpu=500m,limits.memory=1Gi, used: limits.cpu=1500m,limits.memory=1Gi, limited: limits.cpu=2,limits.memory=4Gi'
  expect(refusal([created(said)], { pods: 4 })?.mayHeal).toBe(true)
  expect(refusal([created(said)], { pods: 5 })?.mayHeal).toBe(false)
})

test('what admission refuses is told as it says', () => {
  const webhook = 'admission webhook "policy.example" denied the request: images must be signed'
  expect(refusal([created(webhook)], { pods: 1 })).toMatchObject({
    sentence: `the pod is refused: ${webhook}`,
    hint: expect.stringMatching(/policy of this cluster/),
    mayHeal: false,
  })
  const unfit = 'pods "run-1-abcde" is forbidden: failed quota: q: must specify limits.cpu for: k6'
  expect(refusal([created(unfit)], { pods: 1 })).toMatchObject({
    sentence: 'the namespace’s quota refuses the pod: failed quota: q: must specify limits.cpu for: k6',
    mayHeal: false,
  })
})

test('what is not known may heal', () => {
  expect(refusal([created('Internal error occurred: timeout')], { pods: 1 })).toMatchObject({
    sentence: 'the pod is refused: Internal error occurred: timeout',
    mayHeal: true,
  })
})

test('the newest refusal counts, other events do not', () => {
  expect(refusal([], { pods: 1 })).toBeNull()
  expect(refusal([{ involvedObject: {}, reason: 'SuccessfulCreate' }], { pods: 1 })).toBeNull()
  expect(refusal([created('one'), created('other')], { pods: 1 })?.sentence).toBe('the pod is refused: other')
})

test('a strange text does nothing to a terminal', () => {
  const red = '\u001b[31mred\nline'
  expect(refusal([created(red)], { pods: 1 })?.sentence).toBe('the pod is refused: \\u001b[31mred line')
})

function created(said: string): EventView {
  return { involvedObject: {}, type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${said}` }
}
