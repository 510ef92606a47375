import { draftPlaces, followDrafts } from '../kept/drafts.ts'
import { Cell } from '../state/cell.ts'

/** Rooms and threads in which a user has begun to write, on this device. */
export const drafts = new Cell<ReadonlySet<string>>(new Set())

/** Keeps {@link drafts} up to date with what this and other tabs write, until the result is called. */
export function watchDrafts(userId: string): () => void {
  const look = () => drafts.set(new Set(draftPlaces(userId)))
  look()
  return followDrafts(userId, look)
}

/** What is written at a place has changed. */
export function noteDraft(place: string, isThere: boolean): void {
  if (drafts.value.has(place) === isThere) return
  const places = new Set(drafts.value)
  if (isThere) places.add(place)
  else places.delete(place)
  drafts.set(places)
}
