import { serverRules } from '../rule.ts'

export const ADMIN_RULES = serverRules([
  [
    'admin.mint.works',
    'Admin endpoints',
    'The session of an administrator mints an existing wrapper token.',
    '200 with `data.status` and `data.tx_id`, both strings',
    'mints the smallest amount of a listed token to the administrator, the tokens in turn until one is taken; fails too if it is refused with 401 or 403 four times over at least 5 s while the same session reads the referral codes',
  ],
  [
    'admin.mint.refused-to-others',
    'Authentication',
    'A valid signature does not grant administrator authority.',
    'a wallet that is no administrator’s is refused with a 4xx',
    'sends what the administrator was granted in the session of another wallet, before and after the administrator does so again',
  ],
  [
    'admin.mint.session-only',
    'Authentication',
    'Admin endpoints take a browser session only.',
    'an API token of the administrator is refused with a 4xx',
    'makes an API token as the administrator, sends what was granted with it, before and after the session does so again, and revokes it',
  ],
  [
    'admin.mint.canonical',
    'Wire conventions',
    'Amounts come in canonical spelling only.',
    'signs, separators, exponents, white space, leading zeros and foreign digits are refused with a 4xx',
    'spells an amount that was taken in other ways, one after another until one is taken',
  ],
  [
    'admin.codes.record',
    'Resources: referral and access',
    'The inventory of referral codes has total, available, redeemed and the codes.',
    'three integers, and a list of codes whose fields are strings where they are told',
    'reads /referral/codes as the administrator',
  ],
  [
    'admin.codes.refused-to-others',
    'Authentication',
    'Admin endpoints need an administrator.',
    'a wallet that is no administrator’s is refused with a 4xx',
    'reads /referral/codes in the session of another wallet, before and after the administrator reads it',
  ],
  [
    'admin.codes.session-only',
    'Authentication',
    'Admin endpoints take a browser session only.',
    'an API token of the administrator is refused with a 4xx',
    'makes an API token as the administrator, reads /referral/codes with it, before and after the session reads it, and revokes it',
  ],
])

const REDEEM =
  'sends a made-up code without credentials, a code that is still to be had with an API token, and a made-up one with a session, which must be refused otherwise'

export const REFERRAL_RULES = serverRules([
  [
    'referral.status.record',
    'Resources: referral and access',
    'Referral status has has_access, and may have a code.',
    '`data.has_access` is a boolean, `data.code` a string where there is one',
    'reads /referral/status',
  ],
  [
    'referral.access.record',
    'Resources: referral and access',
    'Access status has has_access.',
    '`data.has_access` is a boolean',
    'reads /access/status',
  ],
  [
    'referral.redeem.session-only',
    'Authentication',
    'Code redemption takes a browser session only.',
    'with an API token it is refused with 401 or 403, without credentials neither taken nor refused with 403',
    REDEEM,
  ],
  [
    'referral.attribution.session-only',
    'Endpoints whose names are given but whose shape is open',
    'Attribution to a code takes a session.',
    'with an API token it is refused with 401 or 403, without credentials neither taken nor refused with 403',
    REDEEM,
  ],
])
