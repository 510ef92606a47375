import { RoomService } from '@parley/contracts/api'
import { fleet } from '../fleet.ts'
import { newPerson, type Person } from '../people.ts'
import { disposeTogether, repeatUntilDisposed } from './repeat-until-disposed.ts'

const callsPerPersonAndGateway = 60
/** Together these people make more concurrent calls than one process accepts: it runs 256 and queues 1,024. */
const people = 12

export async function newReaders(roomId: string): Promise<Person[]> {
  const readers = await Promise.all(Array.from({ length: people }, () => newPerson('reader')))
  for (const reader of readers) await reader.call(RoomService.method.joinRoom, { roomId })
  return readers
}

export function startReading(readers: Person[], roomId: string): AsyncDisposable {
  const read = (reader: Person, base: string) =>
    repeatUntilDisposed(500, () => reader.attempt(RoomService.method.getRoomEvents, { roomId }, { base }))
  const running = readers.flatMap((reader) =>
    fleet().gateways.flatMap((base) => Array.from({ length: callsPerPersonAndGateway }, () => read(reader, base))),
  )
  return disposeTogether(running)
}
