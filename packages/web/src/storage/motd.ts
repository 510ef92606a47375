export type StoredMotd = { version: string; body: string; hidden: boolean }

const keyOf = (userId: string): string => `parley.motd.${userId}`

export function loadMotd(userId: string): StoredMotd | undefined {
  const stored = localStorage.getItem(keyOf(userId))
  return stored === null ? undefined : (JSON.parse(stored) as StoredMotd)
}

export function saveMotd(userId: string, motd: StoredMotd | undefined): void {
  if (motd) localStorage.setItem(keyOf(userId), JSON.stringify(motd))
  else localStorage.removeItem(keyOf(userId))
}

export function followMotd(userId: string, onChange: () => void): () => void {
  const follow = (event: StorageEvent) => event.key === keyOf(userId) && onChange()
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
