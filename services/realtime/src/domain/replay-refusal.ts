/** Why a socket cannot resume from a position. */
export type ReplayRefusal = 'unknown_position' | 'access_changed' | 'too_much'
