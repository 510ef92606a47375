import type { AuthProvider } from '@parley/config'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type Configuration,
  type IDToken,
} from 'openid-client'
import { isTrueClaim, toSubject, textOrEmpty } from './claims.ts'
import { Discovery } from './discovery.ts'
import { isMetadataOutdated, isUnreachable, ProviderFailed, providerFailure } from './failures.ts'
import type { Attempt, Provider, ProviderProfile } from '../../domain/provider.ts'

/** Users are identified only by a verified ID token. */
export function oidcProvider(settings: AuthProvider & { issuerUrl: string }, now: () => Date): Provider {
  const discovery = new Discovery(settings, now)
  return {
    settings,
    async authorizeUrl({ redirectUri, state, nonce, codeVerifier }, signal) {
      try {
        return buildAuthorizationUrl(await discovery.configuration(signal), {
          redirect_uri: redirectUri,
          scope: settings.scopes.join(' '),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        })
      } catch (error) {
        throw providerFailure(error)
      }
    },
    async identify(callback, attempt, signal) {
      try {
        const configuration = await discovery.configuration(signal)
        const { claims, accessToken } = await redeemCode(configuration, callback, attempt)
        return {
          issuer: claims.iss,
          subject: toSubject(claims.sub),
          readProfile: () => readProfile(settings, configuration, claims, accessToken),
        }
      } catch (error) {
        if (isUnreachable(error)) discovery.forget()
        else if (isMetadataOutdated(error)) discovery.markStale()
        throw providerFailure(error)
      }
    },
  }
}

async function redeemCode(
  configuration: Configuration,
  callback: URLSearchParams,
  attempt: Attempt,
): Promise<{ claims: IDToken; accessToken: string }> {
  const returned = new URL(attempt.redirectUri)
  returned.search = callback.toString()
  const tokens = await authorizationCodeGrant(configuration, returned, {
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.codeVerifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new ProviderFailed('the provider sent no ID token')
  return { claims, accessToken: tokens.access_token }
}

async function readProfile(
  settings: AuthProvider,
  configuration: Configuration,
  claims: IDToken,
  accessToken: string,
): Promise<ProviderProfile> {
  const userInfo = configuration.serverMetadata().userinfo_endpoint
    ? await fetchUserInfo(configuration, accessToken, claims.sub)
    : {}
  const documents: Record<string, unknown>[] = [userInfo, claims]
  const all: Record<string, unknown> = { ...claims, ...userInfo }
  // `email_verified` applies only to the address in the same document.
  const verified = documents.find(({ email, email_verified: flag }) => textOrEmpty(email) !== '' && isTrueClaim(flag))
  return {
    verifiedEmail: settings.requestEmail ? textOrEmpty(verified?.['email']) : '',
    loginHint: textOrEmpty(all['preferred_username']) || textOrEmpty(all['nickname']),
    displayNameHint: textOrEmpty(all['name']),
    avatarUrl: textOrEmpty(all['picture']),
  }
}
