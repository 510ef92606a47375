import { createParleyClient, type ParleyClient } from '@parley/client'

/** The server that this page came from. Its session cookie, which scripts cannot read, says who calls. */
export const server: ParleyClient = createParleyClient({ baseUrl: globalThis.location.origin })

/**
 * Signs in by password. The answer also holds a bearer token, for programs that have no cookies: nothing keeps it here, so no
 * script can ever take it.
 */
export async function signIn(login: string, password: string): Promise<void> {
  await server.signIn({ login, password })
  server.token = undefined
}

/**
 * Whether this browser may be signed in. A session's cookie is out of reach, but a second one comes and goes with it, for
 * pages to prove where they come from.
 */
export const mayBeSignedIn = (): boolean => /(?:^|; )(?:__Host-)?parley_csrf=/.test(document.cookie)
