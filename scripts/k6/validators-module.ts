import { Ajv } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { z } from 'zod'
import {
  accessStatusBodySchema,
  apiTokenCreatedSchema,
  apiTokenRevokedSchema,
  challengeBodySchema,
  codeInventorySchema,
  mintResultSchema,
  referralStatusBodySchema,
} from '../../contract/schemas/access.ts'
import { explorePoolsPageSchema, poolBodySchema, poolsPageSchema } from '../../contract/schemas/pools.ts'
import { swapsPageSchema, unclaimedBodySchema } from '../../contract/schemas/portfolio.ts'
import { feeTiersBodySchema, tradingSchemaBodySchema } from '../../contract/schemas/protocol.ts'
import {
  configChangedSchema,
  errorBodySchema,
  eventSchema,
  paginationSchema,
} from '../../contract/schemas/wire.ts'

const SCHEMAS = {
  accessStatus: accessStatusBodySchema,
  apiTokenCreated: apiTokenCreatedSchema,
  apiTokenRevoked: apiTokenRevokedSchema,
  challengeBody: challengeBodySchema,
  codeInventory: codeInventorySchema,
  configChanged: configChangedSchema,
  errorBody: errorBodySchema,
  event: eventSchema,
  explorePoolsPage: explorePoolsPageSchema,
  feeTiersBody: feeTiersBodySchema,
  mintResult: mintResultSchema,
  pagination: paginationSchema,
  poolBody: poolBodySchema,
  poolsPage: poolsPageSchema,
  referralStatus: referralStatusBodySchema,
  swapsPage: swapsPageSchema,
  tradingSchemaBody: tradingSchemaBodySchema,
  unclaimedBody: unclaimedBodySchema,
}

/**
 * Generates the validators as one ECMAScript module without imports, and its types: zod costs 11 MB per k6 VU,
 * precompiled code a fraction. Unknown fields pass, because a target may send more than the interface defines. For
 * scripts/build.mjs.
 */
export function validatorsModule(): { js: string; types: string } {
  const ajv = new Ajv({
    code: { source: true, esm: true, lines: true },
    allErrors: true,
    strict: false,
    validateFormats: false,
  })
  const names = Object.keys(SCHEMAS)
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    ajv.addSchema(z.toJSONSchema(schema, { io: 'input', target: 'draft-7', override: unbounded }), name)
  }
  const code = standaloneCode.default(ajv, Object.fromEntries(names.map((name) => [name, name])))
  return {
    js: `${withoutImports(code)}\nexport const validators = { ${names.join(', ')} };\n`,
    types: `type Validator = {
  (value: unknown): boolean
  errors?: { instancePath: string; message?: string }[] | null
}
export const validators: Record<${names.map((name) => `'${name}'`).join(' | ')}, Validator>
`,
  }
}

/** The interface's 64-bit integers exceed a safe number: removes zod's own bound. */
function unbounded({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

/**
 * Measures lengths in UTF-16 units. The interface only requires non-empty text, and counting code points is slow in k6.
 */
function withoutImports(code: string): string {
  const inlined = code
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', '(text) => text.length')
    .replace('"use strict";', '')
  if (inlined.includes('require('))
    throw new Error('the compiled validators import something that k6 cannot resolve')
  return inlined
}
