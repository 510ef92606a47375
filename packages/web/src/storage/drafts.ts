const prefixOf = (userId: string): string => `parley.draft.${userId}.`
const keyOf = (userId: string, conversation: string): string => prefixOf(userId) + conversation

/** The rooms and threads for which the user has a draft. */
export function conversationsWithDraft(userId: string): string[] {
  const prefix = prefixOf(userId)
  return Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
}

/**
 * Calls the listener when another tab creates, changes or deletes a draft, and when a draft is cleared in this tab,
 * until the returned function is called.
 */
export function followDrafts(userId: string, onChange: (conversation: string) => void): () => void {
  const prefix = prefixOf(userId)
  const follow = ({ key }: StorageEvent) => key?.startsWith(prefix) && onChange(key.slice(prefix.length))
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}

/** The draft for a room or thread, stored on this device. */
export const draftOf = (userId: string, conversation: string): string =>
  localStorage.getItem(keyOf(userId, conversation)) ?? ''

/** Stores a draft; an empty text deletes it. */
export function saveDraft(userId: string, conversation: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(userId, conversation))
  else localStorage.setItem(keyOf(userId, conversation), text)
}

/** Deletes a draft, and tells the listeners of this tab too. */
export function clearDraft(userId: string, conversation: string): void {
  saveDraft(userId, conversation, '')
  dispatchEvent(new StorageEvent('storage', { key: keyOf(userId, conversation), newValue: null }))
}

/**
 * Calls the listener when another tab changes the draft, and when it is cleared in this tab, until the returned
 * function is called.
 */
export function followDraft(userId: string, conversation: string, onChange: (text: string) => void): () => void {
  const key = keyOf(userId, conversation)
  // The draft may have changed again since the event. If the text of the event were shown, it would be saved, and
  // overwrite the newer text.
  const follow = (event: StorageEvent) => event.key === key && onChange(draftOf(userId, conversation))
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
