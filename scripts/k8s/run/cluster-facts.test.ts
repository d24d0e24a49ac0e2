import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { readSeriesEnd } from './cluster-facts.ts'

const HEADER = '{"type":"header","format":1,"k6":"2.2.0","start":"2026-11-22T10:00:00.000Z","scale":5}\n'
const point = (time: number) => `{"time":${time},"metric":"http_reqs","type":"counter","count":1}\n`

function file(text: string): string {
  const path = join(temporaryFolder(), 'series.ndjson')
  writeFileSync(path, text)
  return path
}

test('a whole file ends with its end line, a truncated one with its last second', async () => {
  const whole = file(`${HEADER}${point(1000)}{"type":"end","time":"1970-01-01T00:20:00.250Z","samples":1}\n`)
  expect(await readSeriesEnd([whole])).toBe(1_200_250)
  const cut = file(`${HEADER}${point(1000)}${point(1007)}{"time":1008,"met`)
  expect(await readSeriesEnd([cut])).toBe(1_008_000)
  expect(await readSeriesEnd([whole, cut])).toBe(1_008_000)
  expect(await readSeriesEnd([cut, whole])).toBe(1_008_000)
})

test('reads only the end of a long file', async () => {
  const long = file(`${HEADER}${point(1).repeat(40_000)}${point(1009)}`)
  expect(await readSeriesEnd([long])).toBe(1_010_000)
})

test('a file without data leaves no common end', async () => {
  const whole = file(`${HEADER}${point(1000)}`)
  expect(await readSeriesEnd([whole, file(HEADER)])).toBeNull()
  expect(await readSeriesEnd([join(temporaryFolder(), 'nowhere.ndjson'), whole])).toBeNull()
  expect(await readSeriesEnd([file('')])).toBeNull()
})
