/** How long requests under way may carry the handle before the present one. */
const graceMs = 60_000

/** From when on the browser should get a new cookie: less than a quarter of the lifetime is left to the one it has. */
export const rotateAfter = (rotatedAt: Date, lifetimeMs: number): Date =>
  new Date(rotatedAt.getTime() + Math.ceil(lifetimeMs * 0.75))

/** A browser that got its cookie before this moment is due. */
export const dueBefore = (now: Date, lifetimeMs: number): Date => new Date(now.getTime() - Math.ceil(lifetimeMs * 0.75))

/** A handle that was replaced after this moment still holds. */
export const graceFrom = (now: Date): Date => new Date(now.getTime() - graceMs)

/** Until when one holds that was replaced then. */
export const graceUntil = (replacedAt: Date): Date => new Date(replacedAt.getTime() + graceMs)
