import type { roomGroups, rooms, sidebarLinks } from './schema.ts'
import type { Standing } from '../policy/standing.ts'

export type RoomRow = typeof rooms.$inferSelect
export type GroupRow = typeof roomGroups.$inferSelect
export type LinkRow = typeof sidebarLinks.$inferSelect

export type RoomWithStanding = { room: RoomRow; standing: Standing }
/** `dmMemberIds`: the participants of a direct message, including deleted ones. */
export type ShownRoom = RoomWithStanding & { dmMemberIds: string[] }
