/** How long a token can be used to join a call. */
export const tokenLifeMs = 300_000
/** How long a participant may take to connect to the media server. */
export const connectTimeoutMs = 60_000
/** Tolerated difference between our clock and that of the media server. */
export const clockSlackMs = 2_000
/** How long ended calls and ids of webhooks are kept. */
export const retentionMs = 86_400_000
/** Number of consecutive failed listings after which all calls are ended. */
export const maxFailedListings = 3
