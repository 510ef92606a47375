import { RoomService } from '@parley/contracts/api'
import { fleet } from '../fleet.ts'
import { newPerson, type Person } from '../people.ts'
import { allOf, repeating } from './repeating.ts'

/** A gateway refuses more calls of one person at a time. */
const callsOfOnePerson = 60
/** Together they call more often at a time than one process runs and lets wait: 256 and 1,024. */
const people = 12

/** Members of a room, enough for {@link reading}. */
export async function newReaders(roomId: string): Promise<Person[]> {
  const readers = await Promise.all(Array.from({ length: people }, () => newPerson('reader')))
  for (const reader of readers) await reader.call(RoomService.method.joinRoom, { roomId })
  return readers
}

/** All of them read the room at both gateways, again and again, as often at a time as they may, until disposed. */
export function reading(readers: Person[], roomId: string): AsyncDisposable {
  const read = (reader: Person, base: string) =>
    repeating(500, () => reader.attempt(RoomService.method.getRoomEvents, { roomId }, { base }))
  const running = readers.flatMap((reader) =>
    fleet().gateways.flatMap((base) => Array.from({ length: callsOfOnePerson }, () => read(reader, base))),
  )
  return allOf(running)
}
