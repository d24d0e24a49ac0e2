import { expect, test } from 'vitest'
import { testTools } from '../client/test-tools.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { createRateGate } from './rate-gate.ts'

test('holds up whoever comes until the longest wait is over, and lets them pass one after another', async () => {
  const { tools, nowMs, run } = testTools()
  const gate = createRateGate(tools)
  gate.shut(3000)
  gate.shut(1000)
  const passed: number[] = []
  for (let count = 0; count < 5; count++) void gate.pass().then(() => passed.push(nowMs()))
  expect(gate.isShut()).toBe(true)
  await run()
  expect(gate.isShut()).toBe(false)
  expect(Math.min(...passed)).toBeGreaterThanOrEqual(3000)
  expect(Math.max(...passed)).toBeLessThan(3250)
  expect(new Set(passed).size).toBe(5)
})

test('nobody waits for longer than anybody would', async () => {
  const { tools } = testTools()
  const gate = createRateGate(tools)
  gate.shut(41_000)
  await expect(gate.pass()).rejects.toThrow(new CannotJudge('told to send nothing for 41 s more'))
})
