/** A request above this many bytes is refused before it is sent. */
export const maxRequestBytes = 1024 * 1024

/** A reply above this many bytes is refused by the server that made it. */
export const maxReplyBytes = 16 * 1024 * 1024

/** Replies above this many bytes travel in numbered parts of this size. */
export const partBytes = 256 * 1024

/** What the halves of replies that a process is collecting may hold together. */
export const maxCollectedBytes = 64 * 1024 * 1024

/** A reply whose next part is not there after this long has lost it. */
export const partSilenceMs = 2_000

/** A server that has not begun a call this long after it was sent leaves it alone. */
export const startByMs = 500

/** After this long without an end a server says that it has started. */
export const startedAfterMs = 100

/** How long after `startByMs` silence means that nobody is at work. */
export const silenceMs = 250

/** `startByMs` of what is sent again after silence: a server that is alive begins at once or says that it will not. */
export const repeatStartByMs = 100

/** How long after `repeatStartByMs` silence means that this copy is lost as well. */
export const repeatSilenceMs = 125

/** How often sweeps look at deadlines. */
export const sweepMs = 25
