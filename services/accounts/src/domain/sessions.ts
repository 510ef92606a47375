export type ActiveCredential = {
  id: string
  sessionId: string | null
  userAgent: string | null
  createdAt: Date
  expiresAt: Date
}
export type ActiveSession = Omit<ActiveCredential, 'sessionId'> & { credentialIds: string[] }

/**
 * `credentials` must be sorted by expiry, the latest first. A session has the properties of its credential that expires
 * last; sessions are in the same order.
 */
export function sessionsOf(credentials: readonly ActiveCredential[]): ActiveSession[] {
  const sessions = new Map<string, ActiveSession>()
  for (const { sessionId, ...credential } of credentials) {
    const id = sessionId ?? credential.id
    const session = sessions.get(id)
    if (session) session.credentialIds.push(credential.id)
    else sessions.set(id, { ...credential, id, credentialIds: [credential.id] })
  }
  return [...sessions.values()]
}
