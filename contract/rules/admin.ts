import { serverRules } from '../rule.ts'

export const ADMIN_RULES = serverRules([
  [
    'admin.mint.works',
    'Admin endpoints',
    'The session of an administrator mints an existing wrapper token.',
    '200 with `data.status` and `data.tx_id`, both strings',
    'mints the smallest amount of a listed token to the administrator, trying tokens in turn until one is accepted; also fails if each token gets 401 or 403, and one of them four times over at least 5 s while the same session can read the referral codes',
  ],
  [
    'admin.mint.refused-to-others',
    'Authentication',
    'A valid signature does not grant administrator authority.',
    'a wallet without administrator rights is rejected with a 4xx',
    'repeats the administrator’s accepted request in the session of another wallet, before and after the administrator repeats it; if none is accepted, sends a rejected one, which fails if it is accepted',
  ],
  [
    'admin.mint.session-only',
    'Authentication',
    'Admin endpoints need a browser session.',
    'an API token of the administrator is rejected with a 4xx; a session that was logged out and an altered access cookie do not get the codes',
    'creates an API token as the administrator, repeats the accepted request with it, before and after the session repeats it, and revokes it',
  ],
  [
    'admin.mint.canonical',
    'Wire conventions',
    'Amounts are accepted only in canonical spelling.',
    'signs, separators, exponents, white space, leading zeros and foreign digits are rejected with a 4xx',
    'sends other spellings of an accepted amount, one after another until one is accepted',
  ],
  [
    'admin.codes.record',
    'Resources: referral and access',
    'The inventory of referral codes has total, available, redeemed and the codes.',
    'three integers, and a list of codes whose fields are strings if present; as many redeemed codes as have redeemed_by, or more, and no more codes in all than the total; also after a refresh of the session',
    'reads /referral/codes as the administrator, and again after a refresh; counts are wrong if they stay the same for 30 s: a 401 or 403 counts if it persists while the session reads other data and a fresh one reads the codes',
  ],
  [
    'admin.codes.refused-to-others',
    'Authentication',
    'Admin endpoints need an administrator.',
    'a wallet without administrator rights is rejected with a 4xx, and gets no codes from /referral/codes/',
    'reads /referral/codes in the session of another wallet, before and after the administrator reads it, and /referral/codes/',
  ],
  [
    'admin.codes.session-only',
    'Authentication',
    'Admin endpoints need a browser session.',
    'an API token of the administrator is rejected with a 4xx; a session that was logged out and an altered access cookie do not get the codes',
    'creates an API token as the administrator, reads /referral/codes with it, before and after the session reads it, and revokes it; reads with altered access cookies of another session of the administrator, and after it is logged out',
  ],
])

const REDEEM =
  'Sends a made-up code without credentials, an available code with an API token, and a made-up one with a session, which must be rejected differently. A 403 without credentials fails only if it persists, and a session without the CSRF header gets another response.'

export const REFERRAL_RULES = serverRules([
  [
    'referral.status.record',
    'Resources: referral and access',
    'Referral status has has_access, and may have a code.',
    '`data.has_access` is a boolean and says whether the wallet has access, `data.code` a string if present',
    'reads /referral/status by wallets with and without access',
  ],
  [
    'referral.access.record',
    'Resources: referral and access',
    'Access status has has_access.',
    '`data.has_access` is a boolean, true exactly for a wallet with access',
    'reads /access/status by API token and by session of a wallet with access, and by session of a wallet without access if it may sign in. A value that persistently differs from the profile fails if /swaps agrees with the profile.',
  ],
  [
    'referral.redeem.session-only',
    'Authentication',
    'Code redemption needs a browser session.',
    'with an API token it is rejected with 401 or 403; without credentials it is not accepted, and not rejected with 403',
    REDEEM,
  ],
  [
    'referral.attribution.session-only',
    'Endpoints whose names are given but whose shape is open',
    'Attribution to a code needs a session.',
    'with an API token it is rejected with 401 or 403; without credentials it is not accepted, and not rejected with 403',
    REDEEM,
  ],
])

export const FAUCET_RULES = serverRules([
  [
    'faucet.claim.accepted',
    'Limits',
    'An address that has not claimed for 15 minutes may claim from the faucet.',
    'the claim returns 2xx',
    'Claims for two addresses of the profile. If both are rejected, an earlier run may have claimed, so it tries again after 16 minutes. An error counts only if it comes four times over at least 5 s while /tokens is served.',
  ],
  [
    'faucet.claim.once',
    'Limits',
    'The faucet accepts one claim per address per 15 minutes.',
    'a second claim for the same address, at the same time, at once or 70 s later, by an API token, or by another wallet, is rejected with a 4xx',
    'Sends the first claim of an address twice at once: two responses that accept it and name the address fail. A success counts as another grant if it has the keys and words of the first and does not repeat its transaction or id, or if it is an error body. Claims for an address whose claim was just accepted, also with a space after it, and for another address in between. A claim of another wallet for the address fails only if the response names that address and not the caller.',
    'a minute',
  ],
  [
    'faucet.claim.per-address',
    'Limits',
    'The faucet limit applies to each address separately.',
    'another address may claim immediately afterwards',
    'Claims for a second address right after the first; if that is rejected, again after 16 minutes without claims.',
  ],
  [
    'faucet.claim.still-refused',
    'Limits',
    'The faucet accepts one claim per address per 15 minutes.',
    'a second claim 14 minutes after the first is rejected with a 4xx',
    'Claims again for an address 14 minutes after its claim was accepted.',
    '15 minutes',
  ],
  [
    'faucet.claim.again',
    'Limits',
    'An address that has not claimed for 15 minutes may claim from the faucet.',
    'a second claim 16 minutes after the first returns 2xx',
    'Claims again for an address 16 minutes after its claim was accepted, without claims in between.',
    '15 minutes',
  ],
])
