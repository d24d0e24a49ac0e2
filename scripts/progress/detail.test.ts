import { expect, test } from 'vitest'
import { detail, onDetail, timed } from './detail.ts'

test('only who listens hears it, and only until released', async () => {
  const heard: string[] = []
  detail('before')
  const listening = onDetail((text) => heard.push(text))
  detail('now')
  expect(await timed('work', async () => 7)).toBe(7)
  await expect(timed('work that fails', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  listening.release()
  detail('after')
  expect(heard).toEqual([
    'now',
    expect.stringMatching(/^work: \d+\.\d\d s$/),
    expect.stringMatching(/^work that fails: \d+\.\d\d s$/),
  ])
})
