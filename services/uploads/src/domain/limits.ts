/** Largest chunk of a file. */
export const maxChunkBytes = 524_288
/** How long a session takes chunks. */
export const uploadLifeMs = 15 * 60_000
/** How long a finished session, and a file that no message uses, are kept. */
export const keptMs = 24 * 3_600_000
/** After this long without its message a claim may pass to another message of the same author: their post failed. */
export const claimFailedAfterMs = 60_000
