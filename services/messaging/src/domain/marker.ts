/** A place in the line, and when the message there was posted. */
export type Place = { seq: bigint; at: Date }

/**
 * What is unread: the one definition, for statements, from an expression of the last place shown and one of the marker.
 *
 * A room is unread when its last root message or channel echo that is still shown lies behind the marker of the room; a
 * thread when its last reply that is still shown lies behind the marker of the thread. Markers move forward only: to a
 * message that was read, and to what one posts oneself, so that own messages are never unread. Without a marker nothing
 * is read. What was retracted is not shown, and neither is it unread.
 */
export const isUnread = (lastShown: string, marker: string): string =>
  `coalesce(${lastShown} > coalesce(${marker}, 0), false)`

/** Where the marker has to go; undefined when it stands there, or further on. */
export const onward = (read: Place | undefined, marker: Place | undefined): Place | undefined =>
  read && (!marker || read.seq > marker.seq) ? read : undefined

/** Which of both stands further on. */
export const later = (a: Date | undefined, b: Date | undefined): Date | undefined => (a && b && a > b ? a : (b ?? a))
