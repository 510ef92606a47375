import { isPersonal, type NotificationKind } from './tag.ts'

/**
 * Highest first; the column and the metric label are called `lane`. A higher priority gets more turns, but not all of
 * them while a lower one waits.
 */
export const pushPriorities = ['first', 'soon', 'mass'] as const
export type PushPriority = (typeof pushPriorities)[number]

/**
 * While this number of pushes with one tag wait, further ones are at most `soon`. The number is that of browsers that
 * one person may have.
 */
export const maxFirst = 20
/** While this number of pushes with one tag wait, further ones are `mass`. */
export const maxSoon = 400

export const bestPriority = (kind?: NotificationKind): PushPriority => (kind && isPersonal(kind) ? 'first' : 'soon')
