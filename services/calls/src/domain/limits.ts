/** How long a token can be used to join a call. */
export const tokenLifeMs = 300_000
/** Time in which a participant must connect to the media server. */
export const connectTimeoutMs = 60_000
/** Difference allowed between our clock and that of the media server. */
export const clockSlackMs = 2_000
export const retentionMs = 86_400_000
/** All calls are ended after this number of consecutive failures to list the rooms of the media server. */
export const maxFailedListings = 3
