const key = 'parley.user'

/** Id of the user who was last signed in on this device. */
export const lastUser = (): string | undefined => localStorage.getItem(key) ?? undefined

export const saveLastUser = (userId: string): void => localStorage.setItem(key, userId)
