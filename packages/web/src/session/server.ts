import { createMemberClient, type MemberClient } from '@parley/client'

export const server: MemberClient = createMemberClient({ baseUrl: globalThis.location.origin })

/** Sessions of this page are cookies, which scripts cannot steal. */
const cookieOnly = true

export async function signIn(login: string, password: string): Promise<void> {
  await server.signIn({ login, password, cookieOnly })
}

type NewAccount = { token: string; login: string; password: string }

export async function completeRegistration(account: NewAccount): Promise<void> {
  await server.account.completeRegistration({ ...account, cookieOnly })
}

export async function acceptInvite(account: NewAccount): Promise<void> {
  await server.account.acceptInvite({ ...account, cookieOnly })
}

/** CSRF token. It is set and deleted together with the session cookie. */
export const csrfToken = (): string | undefined => cookie('__Host-parley_csrf') ?? cookie('parley_csrf')

const cookie = (name: string): string | undefined =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** Whether this browser is probably signed in. Only the session cookie proves it, and scripts cannot read that. */
export const mayBeSignedIn = (): boolean => csrfToken() !== undefined
