import type { ArchivedRoom } from '../archive.ts'
import { fieldsOf, flagOf, dateOfSeconds, textOf, textsOf, type Fields } from '../fields.ts'

export const roomLists = [
  { file: 'channels.json', dm: false, private: false },
  { file: 'groups.json', dm: false, private: true },
  { file: 'mpims.json', dm: true, private: true },
  { file: 'dms.json', dm: true, private: true },
] as const

export type SlackRoom = { room: ArchivedRoom; members: string[]; folder: string }

const maxParticipants = 10

/** If a room is listed twice, the private entry is kept. */
export function removeDuplicates(rooms: readonly SlackRoom[]): SlackRoom[] {
  const byId = new Map<string, SlackRoom>()
  for (const entry of rooms) {
    const known = byId.get(entry.room.id)
    if (!known || (entry.room.private && !known.room.private)) byId.set(entry.room.id, entry)
  }
  return [...byId.values()]
}

/**
 * The description combines topic and purpose. A conversation with more people than a direct message allows becomes a
 * private channel.
 */
export function toRoom(fields: Fields, list: (typeof roomLists)[number]): SlackRoom {
  const id = textOf(fields.id)
  const name = textOf(fields.name)
  const members = [...new Set(textsOf(fields.members))]
  const [topic, purpose] = [textOf(fieldsOf(fields.topic).value), textOf(fieldsOf(fields.purpose).value)]
  const folder = (name || id).normalize('NFC')
  const dm = list.dm && members.length <= maxParticipants
  // Not every exporter lists private channels separately.
  const hidden = list.private || flagOf(fields.is_private) || flagOf(fields.is_mpim) || flagOf(fields.is_im)
  const room: ArchivedRoom = {
    type: 'room',
    ...{ id, dm, name, private: hidden, universal: false },
    description: [...new Set([topic, purpose])].filter((text) => text !== '').join(' | '),
    archived: flagOf(fields.is_archived) && !dm,
    createdAt: dateOfSeconds(fields.created),
    location: `${list.file}: ${id}`,
  }
  return { room, members, folder }
}
