const keyOf = (userId: string): string => `parley.room.${userId}`
const maxKept = 12

/** Ids of the rooms that the user has visited last on this device, the latest first. */
export const recentRooms = (userId: string): string[] => localStorage.getItem(keyOf(userId))?.split(' ') ?? []

export const lastRoom = (userId: string): string | undefined => recentRooms(userId)[0]

export function saveVisit(userId: string, roomId: string): void {
  const others = recentRooms(userId).filter((id) => id !== roomId)
  localStorage.setItem(keyOf(userId), [roomId, ...others].slice(0, maxKept).join(' '))
}
