import { emptyUpdate } from '../errors.ts'

type Wanted = { name?: string | undefined; description?: string | undefined; universal?: boolean | undefined }
type Current = { name: string; description: string; universal: boolean }

/** The requested changes that differ from the current room. */
export type RoomUpdate = { name: string; description: string; renamed: boolean; universalChanged: boolean }

/** Throws unless the update names a field. */
export function assertNotEmpty({ name, description, universal }: Wanted): void {
  if (name === undefined && description === undefined && universal === undefined) throw emptyUpdate()
}

export function updateOf(room: Current, wanted: Wanted): RoomUpdate {
  const { name = room.name, description = room.description, universal = room.universal } = wanted
  const renamed = name !== room.name || description !== room.description
  return { name, description, renamed, universalChanged: universal !== room.universal }
}
