/** Why a socket cannot go on from a position. */
export type ReplayRefusal = 'unknown_position' | 'access_changed' | 'too_much'
