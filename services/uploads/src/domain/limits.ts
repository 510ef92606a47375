/** Largest chunk of a file. */
export const maxChunkBytes = 524_288
/** Chunks below this size are counted, unless they are the last one. */
export const smallChunkBytes = 65_536
/** Limit per session: chunks of 6.4 KB suffice for 25 MiB, and it bounds the rows of a session. */
export const mostSmallChunks = 4_096
/** Largest image that is looked into: it is held in memory while it is. */
export const maxImageBytes = 64 * 1024 * 1024
/** So many sessions of one person may be open. */
export const mostOpenUploads = 20
/** How long a session accepts chunks. */
export const uploadLifeMs = 15 * 60_000
/** How long a finished session, and a file that no message uses, are kept. */
export const keptMs = 24 * 3_600_000
/** Blobs that no call took, and images that nobody has, go after as long. */
export const unclaimedLifeMs = 3_600_000
/** Bytes without a row that are younger may be on their way: their row comes after them. */
export const settledMs = 2 * unclaimedLifeMs
/** How long bytes must have been without a row before they are deleted. */
export const quarantineMs = 7 * 24 * 3_600_000
/** A write that began so long ago and has not ended never will. */
export const unfinishedLifeMs = 24 * 3_600_000
/** After this long without its message a claim may pass to another message of the same author: their post failed. */
export const claimFailedAfterMs = 60_000
