const key = 'parley.user'

export const lastUser = (): string | undefined => localStorage.getItem(key) ?? undefined

export const saveLastUser = (userId: string): void => localStorage.setItem(key, userId)
