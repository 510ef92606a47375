import type { roomGroups, rooms, sidebarLinks } from './schema.ts'
import type { Standing } from '../policy/standing.ts'

export type RoomRow = typeof rooms.$inferSelect
export type GroupRow = typeof roomGroups.$inferSelect
export type LinkRow = typeof sidebarLinks.$inferSelect

/** A room and one user's standing in it. */
export type SeenRoom = { room: RoomRow; standing: Standing }
/** The same as it is shown: of a direct message also who is in it, those who were deleted since included. */
export type ShownRoom = SeenRoom & { dmMemberIds: string[] }
