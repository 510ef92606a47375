import { isTrueClaim, toJsonObject, toSubject, textOrEmpty } from '../claims.ts'
import type { OAuthType } from './oauth.ts'

/** Only the public service exists, so a base URL is useful only in tests. */
export const google: OAuthType = {
  endpoints: (base) => ({
    issuer: 'https://accounts.google.com',
    authorizeUrl: `${base ?? 'https://accounts.google.com'}/o/oauth2/v2/auth`,
    tokenUrl: `${base ?? 'https://oauth2.googleapis.com'}/token`,
    apiUrl: `${base ?? 'https://openidconnect.googleapis.com'}/v1`,
  }),
  async getUser(read) {
    const user = toJsonObject(await read('/userinfo'))
    return {
      subject: toSubject(user['sub']),
      readProfile: () =>
        Promise.resolve({
          verifiedEmail: isTrueClaim(user['email_verified']) ? textOrEmpty(user['email']) : '',
          // Google has no user names; the local part of the address is the closest substitute.
          loginHint: textOrEmpty(user['email']).split('@', 1)[0] ?? '',
          displayNameHint: textOrEmpty(user['name']),
          avatarUrl: textOrEmpty(user['picture']),
        }),
    }
  },
}
