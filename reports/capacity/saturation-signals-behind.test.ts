import { describe, expect, test } from 'vitest'
import { fellBehind } from './saturation-signals.ts'

describe('fell behind', () => {
  type Row = {
    what: string
    offered: number
    completed: number
    meanSeconds: number
    unfinishedSeconds?: number
    behind: boolean
  }

  // Over five seconds.
  test.each<Row>([
    { what: 'all who came', offered: 2000, completed: 2000, meanSeconds: 0.002, behind: false },
    { what: 'more than came', offered: 2000, completed: 2010, meanSeconds: 0.002, behind: false },
    { what: '1 % fewer', offered: 2000, completed: 1980, meanSeconds: 0.002, behind: false },
    { what: '1.5 % fewer, and quick', offered: 2000, completed: 1970, meanSeconds: 0.002, behind: true },
    {
      what: '3 % fewer, as a queue of 400/s does at 412/s',
      offered: 2060,
      completed: 2000,
      meanSeconds: 0.13,
      behind: true,
    },
    {
      what: '3 % fewer, of clients that stay for a minute',
      offered: 2000,
      completed: 1940,
      meanSeconds: 60,
      behind: false,
    },
    {
      what: '10 % fewer, of clients that stay for a minute',
      offered: 2000,
      completed: 1800,
      meanSeconds: 60,
      behind: true,
    },
    {
      what: '10 % fewer, of clients that stay half a second longer than the warm-up',
      offered: 2000,
      completed: 1800,
      meanSeconds: 1.5,
      unfinishedSeconds: 0.5,
      behind: false,
    },
    {
      what: '15 % fewer, of clients that stay half a second longer than the warm-up',
      offered: 2000,
      completed: 1700,
      meanSeconds: 1.5,
      unfinishedSeconds: 0.5,
      behind: true,
    },
    { what: 'two of ten', offered: 10, completed: 8, meanSeconds: 0.5, behind: false },
    { what: 'one of ten, and quick', offered: 10, completed: 9, meanSeconds: 0.002, behind: false },
    { what: 'two of ten, and quick', offered: 10, completed: 8, meanSeconds: 0.002, behind: true },
    { what: 'none, and none was due', offered: 0.03, completed: 0, meanSeconds: 0, behind: false },
    { what: 'none', offered: 100, completed: 0, meanSeconds: 0, behind: true },
  ])('served $what: behind $behind', ({ behind, ...row }) => {
    expect(fellBehind({ unfinishedSeconds: 0, ...row, judgedSeconds: 5 })).toBe(behind)
  })
})
