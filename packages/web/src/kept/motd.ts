/** The message of the day as a device keeps it. */
export type KeptMotd = { version: string; body: string; hidden: boolean }

const keyOf = (userId: string): string => `parley.motd.${userId}`

export function keptMotd(userId: string): KeptMotd | undefined {
  const kept = localStorage.getItem(keyOf(userId))
  return kept === null ? undefined : (JSON.parse(kept) as KeptMotd)
}

export function keepMotd(userId: string, motd: KeptMotd | undefined): void {
  if (motd) localStorage.setItem(keyOf(userId), JSON.stringify(motd))
  else localStorage.removeItem(keyOf(userId))
}

/** Calls the listener when another tab changes it; the returned function stops that. */
export function followMotd(userId: string, onChange: () => void): () => void {
  const follow = (event: StorageEvent) => event.key === keyOf(userId) && onChange()
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}
