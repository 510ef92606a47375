const key = 'parley.user'

/** Id of who was signed in on this device last. */
export const lastUser = (): string | undefined => localStorage.getItem(key) ?? undefined

export const keepLastUser = (userId: string): void => localStorage.setItem(key, userId)
