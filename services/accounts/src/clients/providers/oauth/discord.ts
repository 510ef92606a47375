import { membersOf, subjectOf, text } from '../claims.ts'
import type { OAuthType } from './oauth.ts'

/** Discord. Only tests set a base URL. */
export const discord: OAuthType = {
  endpoints: (base = 'https://discord.com') => ({
    issuer: 'https://discord.com',
    authorizeUrl: `${base}/oauth2/authorize`,
    tokenUrl: `${base}/api/oauth2/token`,
    apiUrl: `${base}/api/v10`,
  }),
  async getUser(read) {
    const user = membersOf(await read('/users/@me'))
    const subject = subjectOf(user['id'])
    const avatar = text(user['avatar'])
    return {
      subject,
      readProfile: () =>
        Promise.resolve({
          verifiedEmail: user['verified'] === true ? text(user['email']) : '',
          loginHint: text(user['username']),
          displayNameHint: text(user['global_name']) || text(user['username']),
          avatarUrl: avatar === '' ? '' : `https://cdn.discordapp.com/avatars/${subject}/${avatar}.png?size=256`,
        }),
    }
  },
}
