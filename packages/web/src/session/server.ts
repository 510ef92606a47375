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

/** Makes an account by the token of a registration, and signs in. Its bearer token is not kept either. */
export async function completeRegistration(request: { token: string; login: string; password: string }): Promise<void> {
  await server.account.completeRegistration(request)
  server.token = undefined
}

/** What pages send back to prove where they come from. It comes and goes with a session's cookie, which is out of reach. */
export const csrfToken = (): string | undefined => cookie('__Host-parley_csrf') ?? cookie('parley_csrf')

const cookie = (name: string): string | undefined =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** Whether this browser may be signed in. */
export const mayBeSignedIn = (): boolean => csrfToken() !== undefined
