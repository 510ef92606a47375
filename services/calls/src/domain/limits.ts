/** How long a token opens the way into a call. */
export const tokenLifeMs = 300_000
/** Who joined here has this long to arrive at the media server. */
export const arrivalMs = 60_000
/** By how much clocks may differ. */
export const clockSlackMs = 2_000
/** How long answers to keyed requests, ended calls and ids of webhooks are kept. */
export const keptMs = 86_400_000
/** Failed listings in a row after which no call is believed in. */
export const mostFailedListings = 3
