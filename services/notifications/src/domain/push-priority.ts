import { isForThem, type PushKind } from './tag.ts'

/** Lanes of the queue, in the order they go. Earlier ones go more often; none waits for another to be empty. */
export const pushPriorities = ['first', 'soon', 'mass'] as const
export type PushPriority = (typeof pushPriorities)[number]

/** Most waiting pushes with one tag in the first lane: one for each browser that a person may have. */
export const maxFirst = 20
/** Most waiting pushes of one message outside the mass lane, however many people it concerns. */
export const maxSoon = 400

/** The best lane for a push: what is meant for one person goes first. What dismisses has no kind. */
export const bestPriority = (kind?: PushKind): PushPriority => (kind && isForThem(kind) ? 'first' : 'soon')
