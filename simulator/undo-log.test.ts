import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addMember,
  append,
  createJournal,
  openBlock,
  putEntry,
  rememberEntries,
  rememberItems,
  rememberMembers,
  removeEntry,
  removeMember,
  retarget,
  setFields,
  setItem,
  undoBlock,
} from './undo-log.ts'

type Row = { sequence: number; note: string }
type State = {
  rows: Map<string, Row>
  numbers: Set<number>
  names: Set<string>
  notes: Map<string, number>
  log: string[]
  sorted: number[]
  next: number
}

const emptyState = (): State => ({
  rows: new Map(),
  numbers: new Set(),
  names: new Set(),
  notes: new Map(),
  log: [],
  sorted: [],
  next: 0,
})

/** Maps and sets as lists, because toEqual ignores their order. */
const shown = ({ rows, numbers, names, notes, log, sorted, next }: State) =>
  structuredClone({
    rows: [...rows],
    numbers: [...numbers],
    names: [...names],
    notes: [...notes],
    log,
    sorted,
    next,
  })

const keys = fc.constantFrom('a', 'b', 'c', 'd')
const step = fc.record({ way: fc.nat(10), key: keys, number: fc.nat(20) })

describe('journal', () => {
  it('undoes any blocks of any changes, order included', () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 12 }), { minLength: 1, maxLength: 8 }), (blocks) => {
        const journal = createJournal({ depthMax: 8 })
        const state = emptyState()
        const stood: unknown[] = []
        for (const steps of blocks) {
          stood.push(shown(state))
          openBlock(journal)
          for (const { way, key, number } of steps) change(journal, state, way, key, number)
        }
        for (const before of stood.reverse()) {
          undoBlock(journal)
          expect(shown(state)).toEqual(before)
        }
      }),
    )
  })

  it('keeps the configured number of blocks', () => {
    const journal = createJournal({ depthMax: 2 })
    const log: string[] = []
    for (const line of ['one', 'two', 'three']) {
      openBlock(journal)
      append(journal, log, line)
    }
    undoBlock(journal)
    undoBlock(journal)
    expect(log).toEqual(['one'])
    expect(() => undoBlock(journal)).toThrow('the journal has no block to undo')
  })

  it('keeps changes before the first block', () => {
    const journal = createJournal({ depthMax: 2 })
    const log: string[] = []
    append(journal, log, 'founding')
    openBlock(journal)
    append(journal, log, 'one')
    undoBlock(journal)
    expect(log).toEqual(['founding'])
  })

  it('undoes changes of an object in its replacement', () => {
    const journal = createJournal({ depthMax: 2 })
    const [before, other] = [{ height: 1 }, { height: 5 }]
    openBlock(journal)
    setFields(journal, before, { height: 2 })
    setFields(journal, other, { height: 6 })
    const after = { ...before }
    retarget(journal, before, after)
    undoBlock(journal)
    expect([before, after, other]).toEqual([{ height: 2 }, { height: 1 }, { height: 5 }])
  })

  it('survives being copied together with its state', () => {
    const journal = createJournal({ depthMax: 2 })
    const rows = new Map([['a', { sequence: 1, note: 'first' }]])
    openBlock(journal)
    putEntry(journal, rows, 'a', { sequence: 1, note: 'second' })
    const copy = structuredClone({ journal, rows })
    undoBlock(copy.journal)
    expect(copy.rows.get('a')?.note).toBe('first')
    expect(rows.get('a')?.note).toBe('second')
  })
})

function change(
  journal: ReturnType<typeof createJournal>,
  state: State,
  way: number,
  key: string,
  number: number,
): void {
  const row = state.rows.get(key)
  if (way === 0 && !row) {
    putEntry(journal, state.rows, key, { sequence: state.next, note: `${number}` })
    setFields(journal, state, { next: state.next + 1 })
  }
  if (way === 1 && row) setFields(journal, row, { note: `${number}` })
  if (way === 2 && row) putEntry(journal, state.rows, key, { ...row, note: `${number}` })
  if (way === 3) removeEntry(journal, state.rows, key)
  if (way === 4) append(journal, state.log, key)
  if (way === 5 && state.log.length > 0) setItem(journal, state.log, number % state.log.length, key)
  if (way === 6) {
    const highest = Math.max(-1, ...state.numbers)
    removeMember(journal, state.numbers, number)
    addMember(journal, state.numbers, highest + 1 + (number % 3))
  }
  if (way === 7) {
    rememberMembers(journal, state.names)
    if (!state.names.delete(key)) state.names.add(key)
  }
  if (way === 8) {
    rememberItems(journal, state.sorted)
    state.sorted.push(number)
    state.sorted.sort((a, b) => a - b)
  }
  if (way === 9) {
    rememberEntries(journal, state.notes)
    if (!state.notes.delete(key)) state.notes.set(key, number)
  }
  if (way === 10) setItem(journal, state.log, state.log.length, key)
}
