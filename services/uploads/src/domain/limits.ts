export const maxChunkBytes = 524_288
export const smallChunkBytes = 65_536
/** The number of small chunks of a session, which bounds its rows. It allows 25 MiB in chunks of 6.4 KB. */
export const maxSmallChunks = 4_096
/** An attached image is held in memory while it is inspected. */
export const maxImageBytes = 64 * 1024 * 1024
export const maxOpenUploads = 20
export const uploadLifeMs = 15 * 60_000
/** How long a finished session, and a file that no message uses, are kept. */
export const keptMs = 24 * 3_600_000
export const unclaimedLifeMs = 3_600_000
/** Age from which bytes must have a row: rows are written after bytes. */
export const settledMs = 2 * unclaimedLifeMs
/** How long bytes must have been without a row before they are deleted. */
export const quarantineMs = 7 * 24 * 3_600_000
/** After this time an unfinished write is considered abandoned. */
export const unfinishedLifeMs = 24 * 3_600_000
/** After this time a claim whose message has not arrived may pass to another message of the same author. */
export const claimFailedAfterMs = 60_000
