import { membersOf, subjectOf, text } from '../claims.ts'
import type { OAuthType } from './oauth.ts'

/** GitLab.com, or a GitLab at the base address. */
export const gitlab: OAuthType = {
  endpoints: (base = 'https://gitlab.com') => ({
    issuer: base,
    authorizeUrl: `${base}/oauth/authorize`,
    tokenUrl: `${base}/oauth/token`,
    apiUrl: `${base}/api/v4`,
  }),
  async whoIs(read) {
    const user = membersOf(await read('/user'))
    return {
      subject: subjectOf(user['id']),
      readProfile: () =>
        Promise.resolve({
          // An address takes the place of the account's own when its holder has confirmed it.
          verifiedEmail: text(user['confirmed_at']) === '' ? '' : text(user['email']),
          loginHint: text(user['username']),
          displayNameHint: text(user['name']),
          avatarUrl: text(user['avatar_url']),
        }),
    }
  },
}
