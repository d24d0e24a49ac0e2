import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { TimelineEntry } from '../../contract/timeline.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { followTimeline } from './follow-timeline.ts'

const line = (text: string) => JSON.stringify({ timeline: 1, atMs: 1, actor: 'a', kind: 'sent', text })

test('tells entries as they are written, also those written in pieces, and nothing else', async () => {
  const file = join(temporaryFolder(), 'findings.ndjson')
  const told: TimelineEntry[] = []
  const timeline = followTimeline({ file, onEntry: (entry) => told.push(entry) })
  const bytes = Buffer.from(`${line('größer 🌊')}\n`)
  appendFileSync(file, `{"finding":1}\n${line('one')}\n`)
  await vi.waitUntil(() => told.length === 1)
  // In the middle of a character.
  const middle = bytes.indexOf(Buffer.from('🌊')) + 2
  appendFileSync(file, bytes.subarray(0, middle))
  appendFileSync(file, bytes.subarray(middle))
  appendFileSync(
    file,
    `{"timeline":1,"atMs":"no"}\n{"timeline":1,\n${line('last')}\n${line('cut').slice(0, -3)}`,
  )
  const entries = await timeline.stop()
  expect(entries.map(({ text }) => text)).toEqual(['one', 'größer 🌊', 'last'])
  expect(told).toEqual(entries)
})

test('a file that was never written has no entries', async () => {
  const file = join(temporaryFolder(), 'nowhere.ndjson')
  expect(await followTimeline({ file, onEntry: () => {} }).stop()).toEqual([])
})
