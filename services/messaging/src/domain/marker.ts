/** A place in the line, and when the message there was posted. */
export type Place = { seq: bigint; at: Date }

/**
 * What is unread: the one definition, for statements, from expressions of the last place shown, the marker, and whether the
 * user has muted the room.
 *
 * A room is unread when its last root message or channel echo that is still shown lies behind the marker of the room; a
 * thread when its last reply that is still shown lies behind the marker of the thread. Markers move forward only: to a
 * message that was read, and to what one posts oneself, so that own messages are never unread. Without a marker nothing
 * is read. What was retracted is not shown, and neither is it unread. Nothing in a room that the user has muted is unread.
 */
export const isUnread = (lastShown: string, marker: string, muted: string): string =>
  `(coalesce(${lastShown} > coalesce(${marker}, 0), false) and not ${muted})`

/** Where the marker has to go; undefined when it stands there, or further on. */
export const onward = (read: Place | undefined, marker: Place | undefined): Place | undefined =>
  read && (!marker || read.seq > marker.seq) ? read : undefined

/** Which of both stands further on. */
export const later = (a: Date | undefined, b: Date | undefined): Date | undefined => (a && b && a > b ? a : (b ?? a))
