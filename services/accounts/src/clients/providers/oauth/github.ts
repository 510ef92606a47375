import { membersOf, subjectOf, text } from '../claims.ts'
import type { OAuthType, ReadApi } from './oauth.ts'

/** GitHub, or the GitHub Enterprise Server at the base URL. */
export const github: OAuthType = {
  endpoints: (baseUrl) => {
    const base = baseUrl ?? 'https://github.com'
    return {
      issuer: `${base}/login/oauth`,
      authorizeUrl: `${base}/login/oauth/authorize`,
      tokenUrl: `${base}/login/oauth/access_token`,
      apiUrl: baseUrl === undefined ? 'https://api.github.com' : `${base}/api/v3`,
    }
  },
  async getUser(read) {
    const user = membersOf(await read('/user'))
    return {
      subject: subjectOf(user['id']),
      readProfile: async () => ({
        verifiedEmail: await primaryEmail(read),
        loginHint: text(user['login']),
        displayNameHint: text(user['name']),
        avatarUrl: text(user['avatar_url']),
      }),
    }
  },
}

/** The primary address if it is verified; empty otherwise, or if the scope for reading addresses was not granted. */
async function primaryEmail(read: ReadApi): Promise<string> {
  const addresses: unknown = await read('/user/emails').catch(() => [])
  if (!Array.isArray(addresses)) return ''
  const primary = addresses.map(membersOf).find((address) => address['primary'] === true)
  return primary?.['verified'] === true ? text(primary['email']) : ''
}
