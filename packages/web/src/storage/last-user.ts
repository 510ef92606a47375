const key = 'parley.user'

export const lastUser = (): string | undefined => localStorage.getItem(key) ?? undefined

export const saveLastUser = (userId: string): void => localStorage.setItem(key, userId)

/** Whether somebody else has signed in on this device since `userId` did. All tabs then send requests in their name. */
export const hasOtherSignedIn = (userId: string): boolean => (lastUser() ?? userId) !== userId

/** Calls the listener when somebody else signs in in another tab, until the returned function is called. */
export function followSignIns(userId: string, onOther: () => void): () => void {
  const follow = (event: StorageEvent) => event.key === key && hasOtherSignedIn(userId) && onOther()
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
