import { isForThem, type PushKind } from './tag.ts'

/** Lanes of the queue, in the order they go. Earlier ones go more often; none waits for another to be empty. */
export const lanes = ['first', 'soon', 'mass'] as const
export type Lane = (typeof lanes)[number]

/** As many pushes with one tag wait in the first lane at most: one for each browser a person may have. */
export const mostFirst = 20
/** As many wait outside of the mass: one message is no burden for the others, however many people it concerns. */
export const mostSoon = 400

/** The best lane for a push: what is meant for one person goes first. What dismisses has no kind. */
export const bestLane = (kind?: PushKind): Lane => (kind && isForThem(kind) ? 'first' : 'soon')
