import { scenarioText } from '../own/scenario-text.ts'
import type { KindName } from './kind-names.ts'
import { mixText } from './mix-text.ts'
import { profileText } from './profile-text.ts'
import { sloText } from './slo-text.ts'

type Kind = {
  what: string
  ending: string
  text: (name: string) => string
  /** Lines to go on with, once the file is there. */
  next: (file: string) => readonly string[]
}

/** What `breakwater init` can write. */
export const KINDS = {
  profile: {
    what: 'a target profile',
    ending: '.jsonc',
    text: profileText,
    next: (file) => [`npx breakwater doctor --target ${file}`, `npx breakwater smoke --target ${file}`],
  },
  mix: {
    what: 'a workload mix',
    ending: '.jsonc',
    text: mixText,
    next: (file) => [`npx breakwater smoke --mix ${file}`, `npx breakwater load --rate 20 --mix ${file}`],
  },
  slo: {
    what: 'service level objectives',
    ending: '.jsonc',
    text: sloText,
    next: (file) => [`npx breakwater load --rate 20 --slo ${file}`, `npx breakwater capacity --slo ${file}`],
  },
  scenario: {
    what: 'a scenario of your own',
    ending: '.k6.ts',
    text: scenarioText,
    next: (file) => [`npx breakwater run ${file}`],
  },
} as const satisfies Record<KindName, Kind>
