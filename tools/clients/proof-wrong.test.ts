// The observer catches each client that is wrong in one piece, with the rule that it breaks and with no other.
import { expect, test } from 'vitest'
import { playScene, WRONG_CLIENTS } from './play-scene.ts'

const cases = Object.entries(WRONG_CLIENTS).map(([name, client]) => [name, client.wrong, client] as const)

test.each(cases)(
  '%s is caught: a client that %s',
  async (_name, _wrong, { piece, scene = 'day', breaks }) => {
    const { findings } = await playScene(scene, { piece })
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(breaks))
    expect(findings.filter(({ evidence }) => evidence.length === 0)).toEqual([])
  },
)
