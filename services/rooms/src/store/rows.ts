import type { roomGroups, rooms, sidebarLinks } from './schema.ts'
import type { Standing } from '../policy/standing.ts'

export type RoomRow = typeof rooms.$inferSelect
export type GroupRow = typeof roomGroups.$inferSelect
export type LinkRow = typeof sidebarLinks.$inferSelect

/** A room and one user's standing in it. */
export type RoomWithStanding = { room: RoomRow; standing: Standing }
/** A room with one user's standing and, for a direct message, its participants, including deleted ones. */
export type ShownRoom = RoomWithStanding & { dmMemberIds: string[] }
