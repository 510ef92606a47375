import { toJsonObject, toSubject, textOrEmpty } from '../claims.ts'
import type { OAuthType } from './oauth.ts'

/** Only the public service exists, so a base URL is useful only in tests. */
export const discord: OAuthType = {
  endpoints: (base = 'https://discord.com') => ({
    issuer: 'https://discord.com',
    authorizeUrl: `${base}/oauth2/authorize`,
    tokenUrl: `${base}/api/oauth2/token`,
    apiUrl: `${base}/api/v10`,
  }),
  async getUser(read) {
    const user = toJsonObject(await read('/users/@me'))
    const subject = toSubject(user['id'])
    const avatar = textOrEmpty(user['avatar'])
    return {
      subject,
      readProfile: () =>
        Promise.resolve({
          verifiedEmail: user['verified'] === true ? textOrEmpty(user['email']) : '',
          loginHint: textOrEmpty(user['username']),
          displayNameHint: textOrEmpty(user['global_name']) || textOrEmpty(user['username']),
          avatarUrl: avatar === '' ? '' : `https://cdn.discordapp.com/avatars/${subject}/${avatar}.png?size=256`,
        }),
    }
  },
}
