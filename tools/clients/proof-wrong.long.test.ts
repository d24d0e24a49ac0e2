// The observer catches each client that is wrong in one piece, with the rule that it breaks and with no other:
// some of them, which the commit chooses; `npm run nightly` has all.
import { expect, test } from 'vitest'
import { sampleOfTree } from '../test/tree-sample.ts'
import { playScene } from './play-scene.ts'
import { WRONG_CLIENTS } from './wrong-clients.ts'

const cases = Object.entries(WRONG_CLIENTS).map(([name, client]) => ({ name, ...client }))

test.each(sampleOfTree(cases, 4))(
  '$name is caught: a client that $wrong',
  async ({ piece, scene = 'day', breaks }) => {
    const { findings } = await playScene(scene, { piece })
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(breaks))
    expect(findings.filter(({ evidence }) => evidence.length === 0)).toEqual([])
  },
)
