/** ASCII, so that names can be written in messages and links. */
const pattern = /^[A-Za-z0-9_-]{1,30}$/

export const isRoomName = (name: string): boolean => pattern.test(name)

/** Names are unique regardless of case. */
export const roomNameKey = (name: string): string => name.toLowerCase()

export const isAnnouncements = (name: string): boolean => roomNameKey(name) === 'announcements'
