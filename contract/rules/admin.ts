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

export const FAUCET_RULES = serverRules([
  [
    'faucet.claim.accepted',
    'Limits',
    'An address that has not claimed for 15 minutes may claim from the faucet.',
    'the claim answers 2xx',
    'Claims for two addresses of the profile. If both are refused, an earlier run may have claimed: tried again after 16 minutes. An error counts only if it then comes four times over at least 5 s while /tokens is served.',
  ],
  [
    'faucet.claim.once',
    'Limits',
    'The faucet takes one claim per address per 15 minutes.',
    'a second claim for the same address, at once, is refused with a 4xx',
    'Claims for an address whose claim was just taken.',
  ],
  [
    'faucet.claim.per-address',
    'Limits',
    'The bound of the faucet is one for each address.',
    'another address may claim right after',
    'Claims for a second address right after the first; where that is refused, once more after 16 minutes of silence.',
  ],
  [
    'faucet.claim.still-refused',
    'Limits',
    'The faucet takes one claim per address per 15 minutes.',
    'a second claim 14 minutes after the first is refused with a 4xx',
    'Claims again for an address 14 minutes after its claim was taken.',
    '15 minutes',
  ],
  [
    'faucet.claim.again',
    'Limits',
    'An address that has not claimed for 15 minutes may claim from the faucet.',
    'a second claim 16 minutes after the first answers 2xx',
    'Claims again for an address 16 minutes after its claim was taken, and left alone in between.',
    '15 minutes',
  ],
])
