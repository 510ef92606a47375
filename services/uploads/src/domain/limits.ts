/** Largest chunk of a file. */
export const maxChunkBytes = 524_288
/** Chunks below this size are counted, unless they are the last one. */
export const smallChunkBytes = 65_536
/** So many of them a session takes: 6.4 KB each make a file of 25 MiB, and no more rows are ever kept for it. */
export const mostSmallChunks = 4_096
/** Largest image that is looked into: it is held in memory while it is. */
export const maxImageBytes = 64 * 1024 * 1024
/** So many sessions of one person may be open. */
export const mostOpenUploads = 20
/** How long a session takes chunks. */
export const uploadLifeMs = 15 * 60_000
/** How long a finished session, and a file that no message uses, are kept. */
export const keptMs = 24 * 3_600_000
/** After this long without its message a claim may pass to another message of the same author: their post failed. */
export const claimFailedAfterMs = 60_000
