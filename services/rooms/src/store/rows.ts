import type { roomGroups, rooms, sidebarLinks } from './schema.ts'
import type { Standing } from '../policy/standing.ts'

export type RoomRow = typeof rooms.$inferSelect
export type GroupRow = typeof roomGroups.$inferSelect
export type LinkRow = typeof sidebarLinks.$inferSelect

/** What users see of a room. */
export type RoomHead = Pick<RoomRow, 'id' | 'kind' | 'name' | 'description' | 'groupId' | 'universal' | 'archived'>

export type HeadWithStanding = { room: RoomHead; standing: Standing }
export type RoomWithStanding = { room: RoomRow; standing: Standing }
/** `dmMemberIds`: the participants of a direct message, including deleted ones. */
export type ListedRoom = HeadWithStanding & { dmMemberIds: string[] }
export type ShownRoom = ListedRoom & RoomWithStanding
