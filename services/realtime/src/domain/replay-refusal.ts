export type ReplayRefusal = 'unknown_position' | 'access_changed' | 'too_much'
