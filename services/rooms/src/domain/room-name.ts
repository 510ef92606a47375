/** Only ASCII letters, digits, underscore and hyphen, so that names can be written in messages and links. */
const pattern = /^[A-Za-z0-9_-]{1,30}$/

export const isRoomName = (name: string): boolean => pattern.test(name)

/** Key of a name: names are unique regardless of case. */
export const roomNameKey = (name: string): string => name.toLowerCase()

/** In a new room of this name, posting is denied to everybody except owners. */
export const isAnnouncements = (name: string): boolean => roomNameKey(name) === 'announcements'
