// The observer reports each wrong client for exactly the rules that it breaks: a sample drawn by the commit; `npm run
// nightly` runs all.
import { expect, test } from 'vitest'
import { sampleByTree } from '../test/tree-sample.ts'
import { runScene } from './scenes.ts'
import { WRONG_CLIENTS } from './wrong-clients.ts'

const cases = Object.entries(WRONG_CLIENTS).map(([name, client]) => ({ name, ...client }))

test.each(sampleByTree(cases, 4))(
  '$name is detected: a client that $wrong',
  async ({ piece, scene = 'day', breaks }) => {
    const { findings } = await runScene(scene, { piece })
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(breaks))
    expect(findings.filter(({ evidence }) => evidence.length === 0)).toEqual([])
  },
)
