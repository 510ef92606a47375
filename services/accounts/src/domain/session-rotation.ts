const graceMs = 60_000

/** The time after which a browser should get a new cookie: a quarter of the cookie's lifetime is left then. */
export const rotateAfter = (rotatedAt: Date, lifetimeMs: number): Date =>
  new Date(rotatedAt.getTime() + Math.ceil(lifetimeMs * 0.75))

/** The same rule from the other side: a browser that got its cookie before the returned time should get a new one. */
export const dueBefore = (now: Date, lifetimeMs: number): Date => new Date(now.getTime() - Math.ceil(lifetimeMs * 0.75))

/** A handle that was replaced after the returned time is still valid, for requests that were already running. */
export const graceFrom = (now: Date): Date => new Date(now.getTime() - graceMs)

/** When a replaced handle becomes invalid. */
export const graceUntil = (replacedAt: Date): Date => new Date(replacedAt.getTime() + graceMs)
