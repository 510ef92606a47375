import { eagerLimiter, type EagerLimiter } from '@parley/redis'

/** What an attacker with very many accounts may make one process remember. */
const mostAskers = 50_000

/** Counts new sizes of images by whoever has them made, in this process alone. */
export const openRenderings = (perHour: number): EagerLimiter =>
  eagerLimiter({ key: 'renderings', points: perHour, windowMs: 3_600_000, mostIds: mostAskers })
