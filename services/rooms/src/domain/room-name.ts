/** Letters, digits, underscore and hyphen, as messages and links can carry them. */
const pattern = /^[A-Za-z0-9_-]{1,30}$/

export const isRoomName = (name: string): boolean => pattern.test(name)

/** Key of a name: names are unique regardless of case. */
export const roomNameKey = (name: string): string => name.toLowerCase()

/** Nobody posts in a room of this name unless somebody decides otherwise. */
export const isAnnouncements = (name: string): boolean => roomNameKey(name) === 'announcements'
