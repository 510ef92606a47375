/** The place of a message in the log of its room, and when it was posted. */
export type Place = { seq: bigint; at: Date }

/**
 * SQL condition that defines unread. The parameters are SQL expressions: the place of the last shown message, the place
 * of the marker, and whether the user has muted the room.
 *
 * A room is unread when its last shown root message or channel echo comes after the marker of the room; a thread when
 * its last shown reply comes after the marker of the thread. Markers only move forward: to a message that was read, to
 * the end of an import, and to one's own posts, so own messages are never unread. Without a marker everything is
 * unread. Retracted messages are not shown and not unread. Nothing in a muted room is unread.
 */
export const isUnread = (lastShown: string, marker: string, muted: string): string =>
  `(coalesce(${lastShown} > coalesce(${marker}, 0), false) and not ${muted})`

/** The new place of a marker after reading up to `read`; undefined if it stays where it is. */
export const nextMarker = (read: Place | undefined, marker: Place | undefined): Place | undefined =>
  read && (!marker || read.seq > marker.seq) ? read : undefined

/** The later of two dates; undefined if both are undefined. */
export const laterDate = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b && a > b ? a : (b ?? a)
