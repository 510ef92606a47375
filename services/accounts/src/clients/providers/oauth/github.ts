import { toJsonObject, toSubject, textOrEmpty } from '../claims.ts'
import type { OAuthType, ReadApi } from './oauth.ts'

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
    const user = toJsonObject(await read('/user'))
    return {
      subject: toSubject(user['id']),
      readProfile: async () => ({
        verifiedEmail: await primaryEmail(read),
        loginHint: textOrEmpty(user['login']),
        displayNameHint: textOrEmpty(user['name']),
        avatarUrl: textOrEmpty(user['avatar_url']),
      }),
    }
  },
}

/**
 * Empty if the primary address is not verified, or the addresses cannot be read, for example without the scope
 * `user:email`.
 */
async function primaryEmail(read: ReadApi): Promise<string> {
  const addresses: unknown = await read('/user/emails').catch(() => [])
  if (!Array.isArray(addresses)) return ''
  const primary = addresses.map(toJsonObject).find((address) => address['primary'] === true)
  return primary?.['verified'] === true ? textOrEmpty(primary['email']) : ''
}
