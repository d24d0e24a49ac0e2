import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { FAULT_KINDS } from '../simulator/faults/fault-kinds.ts'
import { faultPlanJsonSchema } from './generate/faults-page.ts'
import { faultPlanNames, loadFaults } from './load-faults.ts'
import { readJson } from './test/read-json.ts'
import { temporaryFolder } from './test/temporary-folder.ts'

test.each(faultPlanNames())('the plan %s is one, and editors find its schema', async (name) => {
  expect((await loadFaults(name, '/')).faults.length).toBeGreaterThan(0)
})
