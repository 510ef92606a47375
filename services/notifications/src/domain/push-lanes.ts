import { isForThem, type PushKind } from './tag.ts'

/** Lanes of the queue, in the order they go. Earlier ones go more often; none waits for another to be empty. */
export const lanes = ['first', 'soon', 'mass'] as const
export type Lane = (typeof lanes)[number]

/** Most waiting pushes with one tag in the first lane: one for each browser that a person may have. */
export const maxFirst = 20
/** Most waiting pushes of one message outside the mass lane, however many people it concerns. */
export const maxSoon = 400

/** The best lane for a push: what is meant for one person goes first. What dismisses has no kind. */
export const bestLane = (kind?: PushKind): Lane => (kind && isForThem(kind) ? 'first' : 'soon')
