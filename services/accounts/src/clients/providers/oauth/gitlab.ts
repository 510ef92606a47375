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
  async whoIs(read, { confirmedIsVerified }) {
    const user = membersOf(await read('/user'))
    return {
      subject: subjectOf(user['id']),
      readProfile: () =>
        Promise.resolve({
          // The field only means that the account was once confirmed, which an administrator can do and then set
          // another address.
          verifiedEmail: confirmedIsVerified && text(user['confirmed_at']) !== '' ? text(user['email']) : '',
          loginHint: text(user['username']),
          displayNameHint: text(user['name']),
          avatarUrl: text(user['avatar_url']),
        }),
    }
  },
}
