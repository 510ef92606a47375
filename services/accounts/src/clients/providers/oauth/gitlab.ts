import { toJsonObject, toSubject, textOrEmpty } from '../claims.ts'
import type { OAuthType } from './oauth.ts'

export const gitlab: OAuthType = {
  endpoints: (base = 'https://gitlab.com') => ({
    issuer: base,
    authorizeUrl: `${base}/oauth/authorize`,
    tokenUrl: `${base}/oauth/token`,
    apiUrl: `${base}/api/v4`,
  }),
  async getUser(read, { confirmedIsVerified }) {
    const user = toJsonObject(await read('/user'))
    return {
      subject: toSubject(user['id']),
      readProfile: () =>
        Promise.resolve({
          // `confirmed_at` only says that the account was confirmed once; an administrator may have changed its address
          // since. So the address counts only if the operator trusts the provider in this.
          verifiedEmail:
            confirmedIsVerified && textOrEmpty(user['confirmed_at']) !== '' ? textOrEmpty(user['email']) : '',
          loginHint: textOrEmpty(user['username']),
          displayNameHint: textOrEmpty(user['name']),
          avatarUrl: textOrEmpty(user['avatar_url']),
        }),
    }
  },
}
