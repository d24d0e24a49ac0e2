import { expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { type ChainOptions, runChain } from './chain.ts'

async function linesOf(options: Partial<ChainOptions>): Promise<string[]> {
  const lines: string[] = []
  await runChain({
    world: 'tiny',
    blocks: 20,
    seed: 7,
    json: false,
    interrupted: new AbortController().signal,
    ...options,
    stdout: (line) => lines.push(line),
  })
  return lines
}

test('says what happened, and ends with the hash of the events', async () => {
  const lines = await linesOf({})
  expect(lines).toHaveLength(6)
  expect(lines[0]).toMatch(
    /^world tiny, seed 7: started in \d+ ms, now at block 320, 2026-01-05T05:00:10.000Z$/,
  )
  expect(lines[1]).toMatch(/^blocks 20 \([\d,]+ a second\)$/)
  expect(lines[3]).toBe('pools 28, 2 of them launched meanwhile')
  expect(lines[5]).toMatch(/^events sha256 [0-9a-f]{64}$/)
})

test('gives the same as JSON, and the same hash again', async () => {
  const result = JSON.parse((await linesOf({ json: true })).join('\n'))
  expect(result).toMatchObject({ world: 'tiny', seed: 7, blocks: 20, height: 320, launches: 2, pools: 28 })
  expect((await linesOf({})).at(-1)).toBe(`events sha256 ${result.eventsSha256}`)
})

test('without blocks it tells no rate', async () => {
  const lines = await linesOf({ blocks: 0 })
  expect(lines.slice(1, 3)).toEqual(['blocks 0', 'swaps 0'])
})

test('an unknown world is an error for the user', async () => {
  await expect(linesOf({ world: 'nowhere' })).rejects.toThrow('no world named "nowhere"')
})

test('an interrupted chain says how far it came', async () => {
  const abort = new AbortController()
  // Aborted from the event loop, as by a signal: while the chain is being mined.
  setImmediate(() => setImmediate(() => abort.abort()))
  await expect(linesOf({ blocks: 999_999_999, interrupted: abort.signal })).rejects.toMatchObject({
    message: expect.stringMatching(/^interrupted after [0-9]*[05]0? of 999999999 blocks$/),
    exitCode: EXIT.interrupted,
  })
})
