/** A request above this many bytes is refused before it is sent. */
export const maxRequestBytes = 1024 * 1024

/** A reply above this many bytes is refused by the server that made it. */
export const maxReplyBytes = 16 * 1024 * 1024

/** Replies above this many bytes travel in numbered parts of this size. */
export const partBytes = 256 * 1024

/** Limit for the total size of incomplete multi-part replies in a process. */
export const maxCollectedBytes = 64 * 1024 * 1024

/** A reply whose next part has not arrived after this time counts as lost. */
export const partSilenceMs = 2_000

/** A server does not start a call that was sent longer ago than this. */
export const startByMs = 500

/** A server reports that a call has started if it has not ended after this long. */
export const startedAfterMs = 100

/** If no reply arrives within this time after `startByMs`, no server is working on the call. */
export const silenceMs = 250

/** `startByMs` of a request that is repeated after missing replies; a live server starts it at once or refuses it. */
export const repeatStartByMs = 100

/** If no reply arrives within this time after `repeatStartByMs`, the copy is lost too. */
export const repeatSilenceMs = 125

/** Interval at which deadlines and missing replies are checked. */
export const sweepMs = 25
