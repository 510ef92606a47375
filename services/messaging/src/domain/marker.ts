export type Place = { seq: bigint; at: Date }

/**
 * SQL condition that defines unread. A room is unread when its last shown root message or echo comes after the room's
 * marker; a thread when its last shown reply comes after the thread's marker. Without a marker everything is unread; in
 * a muted room nothing is. One's own posts move the marker, so they are never unread.
 * @param lastShown SQL: place of the last message that is shown and not retracted
 * @param marker SQL: place of the marker
 * @param muted SQL: whether the user has muted the room
 */
export const isUnread = (lastShown: string, marker: string, muted: string): string =>
  `(coalesce(${lastShown} > coalesce(${marker}, 0), false) and not ${muted})`

export const nextMarker = (read: Place | undefined, marker: Place | undefined): Place | undefined =>
  read && (!marker || read.seq > marker.seq) ? read : undefined

export const laterDate = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b && a > b ? a : (b ?? a)
