const keyOf = (userId: string, place: string): string => `parley.draft.${userId}.${place}`

/** The draft of a message for a room or thread, kept on this device. */
export const draftOf = (userId: string, place: string): string => localStorage.getItem(keyOf(userId, place)) ?? ''

/** Keeps it; an empty text forgets it. */
export function keepDraft(userId: string, place: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(userId, place))
  else localStorage.setItem(keyOf(userId, place), text)
}

/** Tells of changes that other tabs make to a draft; the answer stops that. */
export function followDraft(userId: string, place: string, onChange: (text: string) => void): () => void {
  const key = keyOf(userId, place)
  const follow = (event: StorageEvent) => event.key === key && onChange(event.newValue ?? '')
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
