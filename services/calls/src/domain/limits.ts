/** How long a token can be used to join a call. */
export const tokenLifeMs = 300_000
/** Who joined here has this long to arrive at the media server. */
export const arrivalMs = 60_000
/** Tolerated clock difference. */
export const clockSlackMs = 2_000
/** How long responses to keyed requests, ended calls and ids of webhooks are kept. */
export const keptMs = 86_400_000
/** Failed listings in a row after which no call is believed in. */
export const maxFailedListings = 3
