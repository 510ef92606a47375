const prefixOf = (userId: string): string => `parley.draft.${userId}.`
const keyOf = (userId: string, place: string): string => prefixOf(userId) + place

/** The rooms and threads in which a user has a draft. */
export function draftPlaces(userId: string): string[] {
  const prefix = prefixOf(userId)
  return Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
}

/** Calls the listener when other tabs begin, change or finish a draft; the returned function stops that. */
export function followDrafts(userId: string, onChange: () => void): () => void {
  const follow = ({ key }: StorageEvent) => key?.startsWith(prefixOf(userId)) && onChange()
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}

/** The draft of a message for a room or thread, kept on this device. */
export const draftOf = (userId: string, place: string): string => localStorage.getItem(keyOf(userId, place)) ?? ''

/** Stores a draft; an empty text deletes it. */
export function keepDraft(userId: string, place: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(userId, place))
  else localStorage.setItem(keyOf(userId, place), text)
}

/** Calls the listener when other tabs change a draft; the returned function stops that. */
export function followDraft(userId: string, place: string, onChange: (text: string) => void): () => void {
  const key = keyOf(userId, place)
  const follow = (event: StorageEvent) => event.key === key && onChange(event.newValue ?? '')
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
