import { isPersonal, type PushKind } from './tag.ts'

/**
 * Priorities of queued pushes, highest first; the column and the metric label are called `lane`. A higher priority gets
 * more turns, but never all of them.
 */
export const pushPriorities = ['first', 'soon', 'mass'] as const
export type PushPriority = (typeof pushPriorities)[number]

/** Maximum number of waiting pushes with one tag in `first`: one for each browser that a person may have. */
export const maxFirst = 20
/** Maximum number of waiting pushes of one message outside `mass`, regardless of its audience. */
export const maxSoon = 400

/** The best priority for a push: `first` if it is meant for one person. A dismissal has no kind. */
export const bestPriority = (kind?: PushKind): PushPriority => (kind && isPersonal(kind) ? 'first' : 'soon')
