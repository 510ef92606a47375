const key = 'parley.user'

export const lastUser = (): string | undefined => localStorage.getItem(key) ?? undefined

export const saveLastUser = (userId: string): void => localStorage.setItem(key, userId)

/**
 * Whether another user has signed in with this browser since `userId` did. All tabs then send requests as that other
 * user.
 */
export const hasOtherSignedIn = (userId: string): boolean => (lastUser() ?? userId) !== userId

/** Calls the listener when another user signs in in another tab, until the returned function is called. */
export function followSignIns(userId: string, onOther: () => void): () => void {
  const follow = (event: StorageEvent) => event.key === key && hasOtherSignedIn(userId) && onOther()
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
