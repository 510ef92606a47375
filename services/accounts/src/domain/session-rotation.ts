const graceMs = 60_000

/** A browser should get a new cookie when a quarter of the lifetime is left. */
export const rotateAfter = (rotatedAt: Date, lifetimeMs: number): Date =>
  new Date(rotatedAt.getTime() + Math.ceil(lifetimeMs * 0.75))

/** A browser that got its cookie before this time should get a new one. */
export const dueBefore = (now: Date, lifetimeMs: number): Date => new Date(now.getTime() - Math.ceil(lifetimeMs * 0.75))

/** A handle that was replaced after this time is still valid, for requests that were already running. */
export const graceFrom = (now: Date): Date => new Date(now.getTime() - graceMs)

export const graceUntil = (replacedAt: Date): Date => new Date(replacedAt.getTime() + graceMs)
