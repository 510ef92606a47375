/** The stored data of a valid credential. */
export type HeldCredential = {
  id: string
  sessionId: string | null
  userAgent: string | null
  createdAt: Date
  expiresAt: Date
}
/** One sign-in with its active credentials. */
export type HeldSession = Omit<HeldCredential, 'sessionId'> & { credentialIds: string[] }

/**
 * Credentials by the sign-in that made them, in the order of each session's first one; that one also determines when
 * the session ends.
 */
export function sessionsOf(credentials: readonly HeldCredential[]): HeldSession[] {
  const sessions = new Map<string, HeldSession>()
  for (const { sessionId, ...credential } of credentials) {
    const id = sessionId ?? credential.id
    const session = sessions.get(id)
    if (session) session.credentialIds.push(credential.id)
    else sessions.set(id, { ...credential, id, credentialIds: [credential.id] })
  }
  return [...sessions.values()]
}
