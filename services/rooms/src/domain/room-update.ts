import { emptyUpdate } from '../errors.ts'

type Wanted = { name?: string | undefined; description?: string | undefined; universal?: boolean | undefined }
type Current = { name: string; description: string; universal: boolean }

export type RoomUpdate = { name: string; description: string; detailsChanged: boolean; universalChanged: boolean }

export function assertNotEmpty({ name, description, universal }: Wanted): void {
  if (name === undefined && description === undefined && universal === undefined) throw emptyUpdate()
}

export function updateOf(room: Current, wanted: Wanted): RoomUpdate {
  const { name = room.name, description = room.description, universal = room.universal } = wanted
  const detailsChanged = name !== room.name || description !== room.description
  return { name, description, detailsChanged, universalChanged: universal !== room.universal }
}
