const keyOf = (userId: string): string => `parley.room.${userId}`

export const lastRoom = (userId: string): string | undefined => localStorage.getItem(keyOf(userId)) ?? undefined

export const saveLastRoom = (userId: string, roomId: string): void => localStorage.setItem(keyOf(userId), roomId)
