import { comparisonJsonSchema } from '../../contract/comparison.ts'
import { mixJsonSchema } from '../../contract/mix.ts'
import { profileJsonSchema } from '../../contract/profile.ts'
import { reportJsonSchema } from '../../contract/report.ts'
import { sloJsonSchema } from '../../contract/slo.ts'
import { stagesJsonSchema } from '../../contract/stages.ts'
import { choicesPage } from './choices-page.ts'
import { cliPage } from './cli-page.ts'
import { controlPage } from './control-page.ts'
import { exitCodesPage } from './exit-codes-page.ts'
import { faultPlanJsonSchema, faultsPage } from './faults-page.ts'
import { feedPage } from './feed-page.ts'
import { fieldBugsPage } from './field-bugs-page.ts'
import { profilePage } from './profile-page.ts'
import { rulesPage } from './rules-page.ts'
import { VALIDATOR_TYPES, validatorsModule } from './validators-module.ts'

/** Every generated file: where it lies, and how its text is made. */
export const GENERATED: readonly { path: string; text: () => string }[] = [
  { path: 'scenarios/lib/verdict/validators.generated.js', text: validatorsModule },
  { path: 'scenarios/lib/verdict/validators.generated.d.ts', text: () => VALIDATOR_TYPES },
  { path: 'docs/rules.md', text: rulesPage },
  { path: 'docs/control.md', text: controlPage },
  { path: 'docs/choices.md', text: choicesPage },
  { path: 'docs/feed.md', text: feedPage },
  { path: 'docs/faults.md', text: faultsPage },
  {
    path: 'docs/fault-plan.schema.json',
    text: () => `${JSON.stringify(faultPlanJsonSchema(), null, 2)}\n`,
  },
  { path: 'docs/cli.md', text: cliPage },
  { path: 'docs/exit-codes.md', text: exitCodesPage },
  { path: 'docs/field-bugs.md', text: fieldBugsPage },
  { path: 'docs/profile-fields.md', text: profilePage },
  { path: 'docs/profile.schema.json', text: () => `${JSON.stringify(profileJsonSchema(), null, 2)}\n` },
  { path: 'docs/mix.schema.json', text: () => `${JSON.stringify(mixJsonSchema(), null, 2)}\n` },
  { path: 'docs/slo.schema.json', text: () => `${JSON.stringify(sloJsonSchema(), null, 2)}\n` },
  { path: 'docs/stages.schema.json', text: () => `${JSON.stringify(stagesJsonSchema(), null, 2)}\n` },
  {
    path: 'docs/report.schema.json',
    text: () => `${JSON.stringify(reportJsonSchema(), null, 2)}\n`,
  },
  {
    path: 'docs/comparison.schema.json',
    text: () => `${JSON.stringify(comparisonJsonSchema(), null, 2)}\n`,
  },
]
