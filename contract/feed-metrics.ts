/** What clients of a mix measure on the feed: names of k6 metrics. */

/** A trend, ms: how long an event took, at the least and at the most, as the clocks are known to agree only so far. */
export const FEED_DELAY_LEAST = 'feed_delay_least'
export const FEED_DELAY_MOST = 'feed_delay_most'

/** A counter: events whose delay could not be measured, by the tag `why`. */
export const FEED_UNMEASURED = 'feed_unmeasured'

export const WHY_UNMEASURED = {
  untold: 'the profile does not tell where an event bears its time (choices.eventTime)',
  'no-time': 'events bear no time where the profile says',
  'no-clock': 'no REST answer had told the target’s clock by then (the header Date)',
  ahead: 'events bear times that are ahead of the clock that REST tells (the header Date)',
} as const

export type WhyUnmeasured = keyof typeof WHY_UNMEASURED

/** A trend, ms: from opening a socket until `synchronize` was answered. */
export const FEED_SYNCHRONIZE = 'feed_synchronize'

/** A counter by the tag `outcome`: served; mute, where synchronize was not answered; refused, where there was no ticket, or no socket. */
export const FEED_SOCKETS = 'feed_sockets'
